//! Panics of a plugin's own code: none leaves it, and none is told twice.

use std::{
    cell::{Cell, RefCell},
    panic::{self, AssertUnwindSafe},
    sync::Once,
};

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    /// Where the last one was.
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Does work that may panic; then the error says where and why on one line, and the engine, who
/// tells it, is the only one.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    // Where the plugin is part of a program the hook is the program's, and speaks for all else.
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| match CATCHING.get() {
            false => before(info),
            true => PLACE.set(
                info.location()
                    .map(|it| format!("{}:{}", it.file(), it.line())),
            ),
        }));
    });
    let before = CATCHING.replace(true);
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(before);
    done.map_err(|panic| match panic.downcast::<Told>() {
        Ok(told) => told.0,
        Err(panic) => {
            let text = panic.downcast_ref::<&str>().copied();
            let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
            let place = PLACE.take().map_or(String::new(), |it| format!(" at {it}"));
            format!(
                "it panicked{place}: {}",
                text.unwrap_or("it did not say why")
            )
        }
    })
}

/// What another thread's panic was.
struct Told(String);

/// Goes on with a panic that was caught on another thread.
pub(crate) fn go_on(told: String) -> ! {
    panic::resume_unwind(Box::new(Told(told)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_one_line_with_its_place() {
        assert_eq!(caught(|| 7), Ok(7));
        let told = caught(|| -> u8 { panic!("no {}", 1) }).unwrap_err();
        assert!(told.starts_with("it panicked at "), "{told}");
        assert!(
            told.contains("caught.rs:") && told.ends_with(": no 1"),
            "{told}"
        );
        let again = caught(|| -> u8 { go_on(told.clone()) });
        assert_eq!(again, Err(told));
    }
}
