//! Panics of outside crates, made into plain errors.

use std::{
    any::Any,
    cell::Cell,
    panic::{self, AssertUnwindSafe},
    sync::Once,
};

/// Calls work of an outside crate. If it panics, the panic's message is the error,
/// and nothing is printed to standard error.
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    thread_local! {
        static QUIET: Cell<bool> = const { Cell::new(false) };
    }
    static HOOK: Once = Once::new();
    // The hook belongs to the whole program: whatever stood there still speaks for all else.
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    let before = QUIET.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    done.map_err(|panic| panic_message(&*panic).unwrap_or("it gave up").to_owned())
}

/// Calls work of passel itself. If it panics, the error says so in one line.
pub(crate) fn catch_own_panic<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic_message(&*panic).unwrap_or("a panic");
        Err(format!("an error in passel itself: {text}"))
    })
}

/// The message of a panic, if it is text.
fn panic_message(panic: &(dyn Any + Send)) -> Option<&str> {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_its_message() {
        assert_eq!(catch_panic(|| 7), Ok(7));
        assert_eq!(catch_panic(|| -> u8 { panic!("no") }), Err("no".to_owned()));
        let inside = catch_panic(|| catch_panic(|| -> u8 { panic!("in {}", 1) }));
        assert_eq!(inside, Ok(Err("in 1".to_owned())));
    }
}
