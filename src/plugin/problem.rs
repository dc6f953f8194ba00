//! The problem that a procedure solves, as the contract's table of functions.

// Called by another's code.
#![allow(unsafe_code)]

use std::{
    ffi::{c_char, c_void},
    ptr, slice,
};

use passel_abi::{passel_problem, passel_quantity};

use super::{
    contract,
    guard::{self, Called},
    memory,
};
use crate::{
    panics::catch_panic,
    selector::{CallError, Problem},
};

/// A problem that is lent to a plugin.
pub(super) struct Lent<'a> {
    pub(super) problem: &'a dyn Problem,
    /// Whose work it is.
    pub(super) called: Called,
}

/// The table of functions for a problem, which must outlive it.
pub(super) fn function_table(lent: &Lent) -> passel_problem {
    let problem = lent.problem;
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
        kept: Some(kept),
        name: Some(name),
        measure: Some(measure),
        tell: Some(tell),
        term: Some(term),
        family: problem.family().as_ptr(),
        data: ptr::from_ref(lent).cast(),
    }
}

/// The problem behind a table of functions.
///
/// # Safety
/// Null, or a table that [`function_table`] made, while the selector runs.
unsafe fn lent_to<'a>(problem: *const passel_problem) -> Option<&'a Lent<'a>> {
    // SAFETY: the caller's.
    unsafe { problem.as_ref().map(|table| &*table.data.cast::<Lent>()) }
}

/// Answers a call of a plugin: 0, or 1 where an argument is wrong. A panic becomes an error, for
/// it would end a caller in C.
///
/// # Safety
/// As for [`lent_to`].
unsafe fn answer(
    problem: *const passel_problem,
    call: impl FnOnce(&dyn Problem) -> Result<(), CallError>,
) -> i32 {
    // SAFETY: the caller's.
    let Some(Lent { problem, .. }) = (unsafe { lent_to(problem) }) else {
        return 1;
    };
    let result = guard::engine(|| catch_panic(|| call(*problem)));
    match result.unwrap_or_else(|panic| invalid(format!("passel itself failed: {panic}"))) {
        Ok(()) => 0,
        Err(error) => {
            problem.note(error);
            1
        }
    }
}

fn invalid<T>(what: String) -> Result<T, CallError> {
    Err(CallError::Invalid(what))
}

fn null_pointer(what: &str) -> String {
    format!("it handed over a null pointer, not {what}")
}

/// The length of an array, if an array of this length can exist.
fn checked_length<T>(
    null: bool,
    what: &'static str,
    count: Option<usize>,
) -> Result<usize, CallError> {
    let most = isize::MAX as usize / size_of::<T>();
    match count.filter(|count| *count <= most) {
        None => invalid(format!("it handed over {what} that no memory can hold")),
        Some(count) if null && count > 0 => invalid(null_pointer(what)),
        Some(count) => Ok(count),
    }
}

/// A buffer of the plugin to write into.
///
/// # Safety
/// Null, or room for `count` elements.
unsafe fn room<'a, T>(
    there: *mut T,
    what: &'static str,
    count: Option<usize>,
) -> Result<&'a mut [T], CallError> {
    Ok(match checked_length::<T>(there.is_null(), what, count)? {
        0 => &mut [],
        // SAFETY: the caller's.
        count => unsafe { slice::from_raw_parts_mut(there, count) },
    })
}

/// An array of the plugin.
///
/// # Safety
/// Null, or `count` elements.
unsafe fn listed<'a, T>(
    there: *const T,
    what: &'static str,
    count: Option<usize>,
) -> Result<&'a [T], CallError> {
    Ok(match checked_length::<T>(there.is_null(), what, count)? {
        0 => &[],
        // SAFETY: the caller's.
        count => unsafe { slice::from_raw_parts(there, count) },
    })
}

unsafe extern "C" fn choose(problem: *const passel_problem, column: usize, score: f64) -> i32 {
    // SAFETY: by the contract, here and below.
    unsafe { answer(problem, |lent| lent.choose(column, score)) }
}

unsafe extern "C" fn numbers(
    problem: *const passel_problem,
    column: usize,
    numbers: *mut f64,
) -> i32 {
    let call = |lent: &dyn Problem| {
        let room = unsafe { room(numbers, "room for numbers", Some(lent.n())) }?;
        lent.numbers(column, room)
    };
    unsafe { answer(problem, call) }
}

unsafe extern "C" fn codes(
    problem: *const passel_problem,
    column: usize,
    codes: *mut u32,
    levels: *mut usize,
) -> i32 {
    let call = |lent: &dyn Problem| {
        let codes = unsafe { room(codes, "room for codes", Some(lent.n())) }?;
        let levels = unsafe { room(levels, "room for levels", Some(1)) }?;
        levels[0] = lent.codes(column, codes)?;
        Ok(())
    };
    unsafe { answer(problem, call) }
}

unsafe extern "C" fn nominal(problem: *const passel_problem, column: usize) -> i32 {
    let lent = unsafe { lent_to(problem) };
    i32::from(lent.is_some_and(|lent| lent.problem.is_nominal(column)))
}

unsafe extern "C" fn term(problem: *const passel_problem, column: usize) -> usize {
    let lent = unsafe { lent_to(problem) };
    lent.map_or(column, |lent| lent.problem.term_of(column))
}

unsafe extern "C" fn kept(problem: *const passel_problem, column: usize) -> i32 {
    let lent = unsafe { lent_to(problem) };
    i32::from(lent.is_some_and(|lent| lent.problem.is_kept(column)))
}

unsafe extern "C" fn name(
    problem: *const passel_problem,
    column: usize,
    name: *mut c_char,
    name_size: usize,
) -> i32 {
    let call = |lent: &dyn Problem| {
        let room = unsafe { room(name.cast::<u8>(), "room for a name", Some(name_size)) }?;
        let name = lent.name(column)?;
        let Some(most) = room.len().checked_sub(1) else {
            return Ok(());
        };
        // Cut between two letters.
        let end = (0..=most.min(name.len()))
            .rev()
            .find(|end| name.is_char_boundary(*end));
        let name = &name.as_bytes()[..end.unwrap_or(0)];
        room[..name.len()].copy_from_slice(name);
        room[name.len()] = 0;
        Ok(())
    };
    unsafe { answer(problem, call) }
}

unsafe extern "C" fn measure(
    problem: *const passel_problem,
    quantity: *const passel_quantity,
    anchor: *const u32,
    levels: usize,
    values: *mut f64,
) -> i32 {
    let call = |lent: &dyn Problem| {
        let quantity = unsafe { listed(quantity, "a quantity", Some(1)) }?;
        let quantity =
            contract::measured(&quantity[0]).or_else(|breach| invalid(breach.message))?;
        let anchor = match anchor.is_null() {
            true => None,
            false => Some((unsafe { listed(anchor, "codes", Some(lent.n())) }?, levels)),
        };
        let values = unsafe { room(values, "room for values", Some(lent.p())) }?;
        lent.measure(&quantity, anchor, values)
    };
    unsafe { answer(problem, call) }
}

unsafe extern "C" fn tell(problem: *const passel_problem, name: *const c_char, value: f64) -> i32 {
    let call = |lent: &dyn Problem| {
        let name = unsafe { memory::name(name) }.or_else(|breach| invalid(breach.message))?;
        lent.tell(&name, value)
    };
    unsafe { answer(problem, call) }
}

unsafe extern "C" fn sweep(
    problem: *const passel_problem,
    anchors: *const f64,
    count: usize,
    wanted: usize,
    columns: *mut usize,
    products: *mut f64,
) -> i32 {
    let call = |lent: &dyn Problem| {
        if wanted > lent.p() {
            // The call itself reports that; the buffers may be of any size.
            return lent.sweep(&[], wanted, &mut [], &mut []);
        }
        let (numbers, found) = (count.checked_mul(lent.n()), count.checked_mul(wanted));
        let anchors = unsafe { listed(anchors, "anchors", numbers) }?;
        let columns = unsafe { room(columns, "room for columns", found) }?;
        let products = unsafe { room(products, "room for products", found) }?;
        lent.sweep(anchors, wanted, columns, products)
    };
    unsafe { answer(problem, call) }
}

unsafe extern "C" fn fit(
    problem: *const passel_problem,
    columns: *const usize,
    count: usize,
    residuals: *mut f64,
    criterion: *mut f64,
) -> i32 {
    let call = |lent: &dyn Problem| {
        if count > lent.p() {
            return Err(CallError::too_many(lent.most()));
        }
        let columns = unsafe { listed(columns, "columns", Some(count)) }?;
        let residuals = match residuals.is_null() {
            true => None,
            false => Some(unsafe { room(residuals, "room for residuals", Some(lent.n())) }?),
        };
        let value = lent.fit(columns, residuals)?;
        if let Some(criterion) = unsafe { criterion.as_mut() } {
            *criterion = value;
        }
        Ok(())
    };
    unsafe { answer(problem, call) }
}

unsafe extern "C" fn each(
    problem: *const passel_problem,
    count: usize,
    work: Option<unsafe extern "C" fn(usize, *mut c_void)>,
    context: *mut c_void,
) {
    let context = Context(context);
    // SAFETY: by the contract.
    let Some(Lent { called, .. }) = (unsafe { lent_to(problem) }) else {
        return;
    };
    let call = |lent: &dyn Problem| {
        let Some(work) = work else {
            return invalid(null_pointer("work"));
        };
        lent.each(count, &|at| {
            let Context(context) = &context;
            // SAFETY: by the contract any thread may call it.
            called.run_awaited(|| unsafe { work(at, *context) });
        });
        Ok(())
    };
    unsafe { answer(problem, call) };
}

/// The pointer that a plugin passes through to its own function.
struct Context(*mut c_void);

// SAFETY: never dereferenced here, and its owner asked for calls from other threads.
unsafe impl Sync for Context {}

unsafe extern "C" fn random(
    problem: *const passel_problem,
    stream: u32,
    words: *mut u32,
    count: usize,
) {
    let call = |lent: &dyn Problem| {
        lent.random(stream, unsafe {
            room(words, "room for words", Some(count))
        }?);
        Ok(())
    };
    unsafe { answer(problem, call) };
}

unsafe extern "C" fn interrupted(problem: *const passel_problem) -> i32 {
    let lent = unsafe { lent_to(problem) };
    i32::from(lent.is_none_or(|lent| lent.problem.interrupted()))
}

unsafe extern "C" fn progress(problem: *const passel_problem, done: usize, of: usize) {
    if let Some(lent) = unsafe { lent_to(problem) } {
        guard::engine(|| lent.problem.progress(done, of));
    }
}
