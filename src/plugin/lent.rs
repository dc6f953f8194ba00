//! The problem as a plugin sees it: the contract's functions around what the selector has.

// Called by another's code.
#![allow(unsafe_code)]

use std::{ffi::c_void, ptr, slice};

use passel_abi::passel_problem;

use crate::selector::{Misuse, Problem};

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
/// The pointer that [`problem`] made, while the selector runs.
unsafe fn back<'a>(problem: *const passel_problem) -> &'a dyn Problem {
    // SAFETY: the caller's.
    unsafe { *(*problem).data.cast::<&dyn Problem>() }
}

fn done<T>(result: &Result<T, Misuse>) -> i32 {
    i32::from(result.is_err())
}

/// # Safety
/// Room for so many; null where there are none.
unsafe fn room<'a, T>(there: *mut T, count: usize) -> &'a mut [T] {
    match count {
        0 => &mut [],
        // SAFETY: the caller's.
        count => unsafe { slice::from_raw_parts_mut(there, count) },
    }
}

/// # Safety
/// So many; null where there are none.
unsafe fn listed<'a, T>(there: *const T, count: usize) -> &'a [T] {
    match count {
        0 => &[],
        // SAFETY: the caller's.
        count => unsafe { slice::from_raw_parts(there, count) },
    }
}

unsafe extern "C" fn choose(problem: *const passel_problem, column: usize, score: f64) -> i32 {
    // SAFETY: by the contract, here and below.
    done(&unsafe { back(problem) }.choose(column, score))
}

unsafe extern "C" fn numbers(
    problem: *const passel_problem,
    column: usize,
    numbers: *mut f64,
) -> i32 {
    let problem = unsafe { back(problem) };
    done(&problem.numbers(column, unsafe { room(numbers, problem.n()) }))
}

unsafe extern "C" fn codes(
    problem: *const passel_problem,
    column: usize,
    codes: *mut u32,
    levels: *mut usize,
) -> i32 {
    let problem = unsafe { back(problem) };
    let told = problem.codes(column, unsafe { room(codes, problem.n()) });
    if let Ok(count) = told {
        unsafe { levels.write(count) };
    }
    done(&told)
}

unsafe extern "C" fn sweep(
    problem: *const passel_problem,
    anchors: *const f64,
    count: usize,
    wanted: usize,
    columns: *mut usize,
    products: *mut f64,
) -> i32 {
    let problem = unsafe { back(problem) };
    if wanted > problem.p() {
        // It says so; the rooms may be of any size.
        return done(&problem.sweep(&[], wanted, &mut [], &mut []));
    }
    let anchors = unsafe { listed(anchors, count * problem.n()) };
    let found = count * wanted;
    let (columns, products) = unsafe { (room(columns, found), room(products, found)) };
    done(&problem.sweep(anchors, wanted, columns, products))
}

unsafe extern "C" fn fit(
    problem: *const passel_problem,
    columns: *const usize,
    count: usize,
    residuals: *mut f64,
    criterion: *mut f64,
) -> i32 {
    let problem = unsafe { back(problem) };
    let residuals = match residuals.is_null() {
        true => None,
        false => Some(unsafe { room(residuals, problem.n()) }),
    };
    let value = problem.fit(unsafe { listed(columns, count) }, residuals);
    if let (Ok(value), false) = (&value, criterion.is_null()) {
        unsafe { criterion.write(*value) };
    }
    done(&value)
}

unsafe extern "C" fn each(
    problem: *const passel_problem,
    count: usize,
    work: Option<unsafe extern "C" fn(usize, *mut c_void)>,
    context: *mut c_void,
) {
    let Some(work) = work else { return };
    let context = Context(context);
    unsafe { back(problem) }.each(count, &|at| {
        let Context(context) = &context;
        // SAFETY: by the contract any thread may call it.
        unsafe { work(at, *context) }
    });
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
    unsafe { back(problem) }.random(stream, unsafe { room(words, count) });
}

unsafe extern "C" fn interrupted(problem: *const passel_problem) -> i32 {
    i32::from(unsafe { back(problem) }.interrupted())
}

unsafe extern "C" fn progress(problem: *const passel_problem, done: usize, of: usize) {
    unsafe { back(problem) }.progress(done, of);
}
