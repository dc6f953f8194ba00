//! The problem as a plugin sees it: the contract's functions around what the selector has.

// Called by another's code.
#![allow(unsafe_code)]

use std::{ffi::c_void, ptr, slice};

use passel_abi::passel_problem;

use crate::{
    panics::catch_panic,
    selector::{CallError, Problem},
};

/// The table of functions for a problem, which is to outlive it.
pub(super) fn problem(problem: &&dyn Problem) -> passel_problem {
    passel_problem {
        size: size_of::<passel_problem>(),
        n: problem.n(),
        p: problem.p(),
        most: problem.most(),
        choose: Some(choose),
        numbers: Some(numbers),
        codes: Some(codes),
        nominal: Some(nominal),
        sweep: Some(sweep),
        fit: Some(fit),
        each: Some(each),
        random: Some(random),
        interrupted: Some(interrupted),
        progress: Some(progress),
        data: ptr::from_ref(problem).cast(),
    }
}

/// # Safety
/// Null, or the pointer that [`problem`] made, while the selector runs.
unsafe fn back<'a>(problem: *const passel_problem) -> Option<&'a dyn Problem> {
    // SAFETY: the caller's.
    unsafe { problem.as_ref().map(|it| *it.data.cast::<&dyn Problem>()) }
}

/// Gives what was asked for: 0, or 1 where an argument is wrong. No panic leaves: a caller in C
/// would end with it.
///
/// # Safety
/// As of [`back`].
unsafe fn given(
    problem: *const passel_problem,
    ask: impl FnOnce(&dyn Problem) -> Result<(), CallError>,
) -> i32 {
    // SAFETY: the caller's.
    let Some(problem) = (unsafe { back(problem) }) else {
        return 1;
    };
    let done = catch_panic(|| ask(problem));
    match done.unwrap_or_else(|panic| Err(CallError::Broken(panic))) {
        Ok(()) => 0,
        Err(misuse) => {
            problem.note(misuse);
            1
        }
    }
}

/// That an array of so many could be.
fn possible<T>(null: bool, what: &'static str, count: Option<usize>) -> Result<usize, CallError> {
    let most = isize::MAX as usize / size_of::<T>();
    match count.filter(|it| *it <= most) {
        None => Err(CallError::Room { what }),
        Some(count) if null && count > 0 => Err(CallError::Null { what }),
        Some(count) => Ok(count),
    }
}

/// # Safety
/// Room for so many, or null.
unsafe fn room<'a, T>(
    there: *mut T,
    what: &'static str,
    count: Option<usize>,
) -> Result<&'a mut [T], CallError> {
    Ok(match possible::<T>(there.is_null(), what, count)? {
        0 => &mut [],
        // SAFETY: the caller's.
        count => unsafe { slice::from_raw_parts_mut(there, count) },
    })
}

/// # Safety
/// So many, or null.
unsafe fn listed<'a, T>(
    there: *const T,
    what: &'static str,
    count: Option<usize>,
) -> Result<&'a [T], CallError> {
    Ok(match possible::<T>(there.is_null(), what, count)? {
        0 => &[],
        // SAFETY: the caller's.
        count => unsafe { slice::from_raw_parts(there, count) },
    })
}

unsafe extern "C" fn choose(problem: *const passel_problem, column: usize, score: f64) -> i32 {
    // SAFETY: by the contract, here and below.
    unsafe { given(problem, |it| it.choose(column, score)) }
}

unsafe extern "C" fn numbers(
    problem: *const passel_problem,
    column: usize,
    numbers: *mut f64,
) -> i32 {
    let ask = |it: &dyn Problem| {
        let room = unsafe { room(numbers, "room for numbers", Some(it.n())) }?;
        it.numbers(column, room)
    };
    unsafe { given(problem, ask) }
}

unsafe extern "C" fn codes(
    problem: *const passel_problem,
    column: usize,
    codes: *mut u32,
    levels: *mut usize,
) -> i32 {
    let ask = |it: &dyn Problem| {
        let codes = unsafe { room(codes, "room for codes", Some(it.n())) }?;
        let levels = unsafe { room(levels, "room for levels", Some(1)) }?;
        levels[0] = it.codes(column, codes)?;
        Ok(())
    };
    unsafe { given(problem, ask) }
}

unsafe extern "C" fn nominal(problem: *const passel_problem, column: usize) -> i32 {
    i32::from(unsafe { back(problem) }.is_some_and(|it| it.is_nominal(column)))
}

unsafe extern "C" fn sweep(
    problem: *const passel_problem,
    anchors: *const f64,
    count: usize,
    wanted: usize,
    columns: *mut usize,
    products: *mut f64,
) -> i32 {
    let ask = |it: &dyn Problem| {
        if wanted > it.p() {
            // It says so; the rooms may be of any size.
            return it.sweep(&[], wanted, &mut [], &mut []);
        }
        let (numbers, found) = (count.checked_mul(it.n()), count.checked_mul(wanted));
        let anchors = unsafe { listed(anchors, "anchors", numbers) }?;
        let columns = unsafe { room(columns, "room for columns", found) }?;
        let products = unsafe { room(products, "room for products", found) }?;
        it.sweep(anchors, wanted, columns, products)
    };
    unsafe { given(problem, ask) }
}

unsafe extern "C" fn fit(
    problem: *const passel_problem,
    columns: *const usize,
    count: usize,
    residuals: *mut f64,
    criterion: *mut f64,
) -> i32 {
    let ask = |it: &dyn Problem| {
        if count > it.p() {
            return Err(CallError::TooMany { most: it.most() });
        }
        let columns = unsafe { listed(columns, "columns", Some(count)) }?;
        let residuals = match residuals.is_null() {
            true => None,
            false => Some(unsafe { room(residuals, "room for residuals", Some(it.n())) }?),
        };
        let value = it.fit(columns, residuals)?;
        if let Some(criterion) = unsafe { criterion.as_mut() } {
            *criterion = value;
        }
        Ok(())
    };
    unsafe { given(problem, ask) }
}

unsafe extern "C" fn each(
    problem: *const passel_problem,
    count: usize,
    work: Option<unsafe extern "C" fn(usize, *mut c_void)>,
    context: *mut c_void,
) {
    let context = Context(context);
    let ask = |it: &dyn Problem| {
        let work = work.ok_or(CallError::Null { what: "work" })?;
        it.each(count, &|at| {
            let Context(context) = &context;
            // SAFETY: by the contract any thread may call it.
            unsafe { work(at, *context) }
        });
        Ok(())
    };
    unsafe { given(problem, ask) };
}

/// What a plugin hands to its own function.
struct Context(*mut c_void);

// SAFETY: the engine does not look at it, and its owner asked for calls from other threads.
unsafe impl Sync for Context {}

unsafe extern "C" fn random(
    problem: *const passel_problem,
    stream: u32,
    words: *mut u32,
    count: usize,
) {
    let ask = |it: &dyn Problem| {
        it.random(stream, unsafe {
            room(words, "room for words", Some(count))
        }?);
        Ok(())
    };
    unsafe { given(problem, ask) };
}

unsafe extern "C" fn interrupted(problem: *const passel_problem) -> i32 {
    i32::from(unsafe { back(problem) }.is_none_or(|it| it.interrupted()))
}

unsafe extern "C" fn progress(problem: *const passel_problem, done: usize, of: usize) {
    if let Some(problem) = unsafe { back(problem) } {
        problem.progress(done, of);
    }
}
