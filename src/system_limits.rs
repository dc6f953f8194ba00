//! Limits of the system, each told with what lifts it.

use std::io::{self, ErrorKind};

/// What the system says, with the mend where a limit of its own is the cause.
pub(crate) fn with_mend(error: io::Error) -> io::Error {
    let mend = match error.kind() {
        ErrorKind::StorageFull => "make room, then run the same command again",
        ErrorKind::QuotaExceeded => "make room within the quota, then run the same command again",
        ErrorKind::FileTooLarge => {
            "the limit of the size of files is reached: raise it (ulimit -f)"
        }
        _ if is_of_open_files(&error) => {
            "raise the limit of open files (ulimit -n), or run fewer jobs at once"
        }
        _ => return error,
    };
    io::Error::new(error.kind(), format!("{error}; {mend}"))
}

/// Whether a disk, or the share of it that a user may have, is full: whatever is written next fails too.
pub(crate) fn is_disk_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded
    )
}

/// The numbers have no name among the kinds: ENFILE and EMFILE.
fn is_of_open_files(error: &io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn limits_are_told_with_what_lifts_them_and_stay_of_their_kind() {
        for (number, mend) in [
            (24, "ulimit -n"),
            (27, "ulimit -f"),
            (28, "make room"),
            (122, "quota"),
        ] {
            let error = io::Error::from_raw_os_error(number);
            let kind = error.kind();
            let told = with_mend(error);
            assert!(told.to_string().contains(mend), "{told}");
            assert_eq!(told.kind(), kind);
            assert_eq!(is_disk_full(&told), [28, 122].contains(&number));
        }
        let other = with_mend(io::Error::from_raw_os_error(5));
        assert_eq!(other.raw_os_error(), Some(5));
    }
}
