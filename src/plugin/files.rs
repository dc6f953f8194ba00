//! Files that parameters name: each has a number, which is the parameter's value, and plugins ask for its path.

use std::{
    ffi::CString,
    path::{Path, PathBuf, absolute},
    sync::{Mutex, PoisonError},
};

use crate::{interrupt::Interrupt, sha256};

/// A file that a parameter names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedFile {
    /// Where it is.
    pub(super) path: PathBuf,
    /// Its SHA-256, in hexadecimal digits.
    pub(super) sha256: String,
}

/// The files so far: the first has the number 1. The same path has another one once its bytes have changed, since the same values
/// are to give the same.
static ALL: Mutex<Vec<NamedFile>> = Mutex::new(Vec::new());

/// Makes out the file of this path.
pub(super) fn named(path: &Path) -> std::io::Result<NamedFile> {
    let path = absolute(path)?;
    // A pipe would be waited for.
    if !path.metadata()?.is_file() {
        return Err(std::io::Error::other("it is not a file"));
    }
    Ok(NamedFile {
        sha256: sha256::of_file(&path, &Interrupt::default())?,
        path,
    })
}

/// The number of a file, above 0.
pub(super) fn number(file: &NamedFile) -> f64 {
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let known = all.iter().position(|own| own == file);
    let at = known.unwrap_or_else(|| {
        all.push(file.clone());
        all.len() - 1
    });
    (at + 1) as f64
}

/// The path of a file by its number, as the system has it.
pub(super) fn path_of(value: f64) -> Option<CString> {
    let all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    let file = all.get((value as usize).checked_sub(1)?)?;
    #[cfg(unix)]
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(file.path.as_os_str());
    #[cfg(not(unix))]
    let bytes = file.path.to_str()?.as_bytes();
    CString::new(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_number_until_it_changes() {
        let file = named(Path::new("Cargo.toml")).unwrap();
        let first = number(&file);
        assert_eq!(number(&named(&file.path).unwrap()), first);
        let changed = NamedFile {
            sha256: "0".to_owned(),
            ..file.clone()
        };
        let second = number(&changed);
        assert!(first > 0.0 && second > 0.0 && second != first);
        for own in [first, second] {
            let path = path_of(own).unwrap();
            assert_eq!(path.to_str().unwrap(), file.path.to_str().unwrap());
        }
        for none in [0.0, -1.0, f64::NAN, 1e9] {
            assert_eq!(path_of(none), None);
        }
        assert!(named(Path::new("src")).is_err());
    }
}
