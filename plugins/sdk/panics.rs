//! Panics in a plugin's own code: each becomes one error text, and none crosses the contract.

use std::{
    cell::{Cell, RefCell},
    panic::{self, AssertUnwindSafe},
    sync::Once,
};

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    /// The place of the last panic.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Does work that may panic.
///
/// # Errors
/// The place and the reason of a panic, on one line; the engine reports it.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    // In a program that the plugin is linked into, the hook is the program's and keeps reporting
    // all other panics.
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| match CATCHING.get() {
            false => before(info),
            true => PLACE.set(
                info.location()
                    .map(|place| format!("{}:{}", place.file(), place.line())),
            ),
        }));
    });
    let before = CATCHING.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(before);
    result.map_err(|panic| match panic.downcast::<Caught>() {
        Ok(text) => text.0,
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().copied();
            let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            let place = PLACE
                .take()
                .map_or(String::new(), |place| format!(" at {place}"));
            format!(
                "it panicked{place}: {}",
                text.unwrap_or("it did not say why")
            )
        }
    })
}

/// The text of a panic caught on another thread.
struct Caught(String);

/// Resumes a panic that was caught on another thread.
pub(crate) fn resume(text: String) -> ! {
    panic::resume_unwind(Box::new(Caught(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_one_line_with_its_place() {
        assert_eq!(catch(|| 7), Ok(7));
        let text = catch(|| -> u8 { panic!("no {}", 1) }).unwrap_err();
        assert!(text.starts_with("it panicked at "), "{text}");
        assert!(
            text.contains("panics.rs:") && text.ends_with(": no 1"),
            "{text}"
        );
        let again = catch(|| -> u8 { resume(text.clone()) });
        assert_eq!(again, Err(text));
    }
}
