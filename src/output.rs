//! Files that appear whole or not at all: written beside their place, flushed
//! to the disk, then renamed over it. Whatever fails before the rename, a full
//! disk or a kill, leaves the old file as it was. A file that passel did not
//! write is replaced only where the user has said so.

mod error;
mod identity;
mod mark;
mod placement;
mod temporary;

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use crate::machine;

pub use error::OutputError;
use identity::follow_links;
pub(crate) use identity::{FileIdentity, folder_of};
pub use mark::Replaces;
use placement::{rename, set_beside, sync_folder};
pub(crate) use temporary::{sweep, sweep_beside};

/// A file being written. Dropped without [`commit`](Self::commit) it leaves no
/// trace, unless the program is killed outright: then a hidden
/// `.passel-….tmp` stays beside the target until it is swept.
#[derive(Debug)]
pub struct OutputFile {
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    /// A temporary file and the place it is renamed to.
    Staged {
        file: NamedTempFile,
        target: PathBuf,
        replaces: Replaces,
    },
    /// A device or a pipe: there is nothing to replace.
    Direct(File),
}

impl OutputFile {
    /// Opens a temporary file beside `path`, or `path` itself where it is a
    /// device or a pipe. A symbolic link is followed: the file it points to is
    /// replaced, the link stays.
    ///
    /// # Errors
    /// A missing folder, a folder in the file's place, a file that may not be
    /// replaced, or a file or folder that may not be written.
    pub fn create(path: &Path, replaces: Replaces) -> Result<Self, OutputError> {
        Self::create_staged(path, replaces, None)
    }

    /// Opens a temporary file in another folder of the same disk; see [`create`](Self::create).
    pub fn create_staged(
        path: &Path,
        replaces: Replaces,
        folder: Option<&Path>,
    ) -> Result<Self, OutputError> {
        let path = &*machine::kept_path(path);
        let elsewhere = folder;
        let place = |source| OutputError::place(path, source);
        let existing = fs::metadata(path).ok();
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            let reason = ": it is a folder; name a file in it";
            return Err(OutputError::refuse(path, reason));
        }
        let mut open = OpenOptions::new();
        open.write(true);
        if existing.as_ref().is_some_and(|file| !file.is_file()) {
            if elsewhere.is_some() {
                let reason = ": there is something that is no regular file; remove it";
                return Err(OutputError::refuse(path, reason));
            }
            let sink = Sink::Direct(machine::open_special(path).map_err(place)?);
            return Ok(Self {
                path: path.to_owned(),
                sink,
            });
        }
        let target = follow_links(path).map_err(place)?;
        let folder = folder_of(&target);
        if !folder.is_dir() {
            let folder = folder.display();
            let reason = format!(": there is no folder {folder}; make it first");
            return Err(OutputError::refuse(path, &reason));
        }
        if existing.is_some() {
            // A rename would replace even a write-protected file.
            open.open(&target).map_err(place)?;
            if !replaces.allows(&target) {
                let reason = format!(
                    ": the file there is not {} that passel wrote; move it away, name another \
                     file, or replace it with --overwrite",
                    replaces.name()
                );
                return Err(OutputError::refuse(path, &reason));
            }
        }
        let staged = temporary::create(elsewhere.unwrap_or(folder), existing.as_ref());
        let sink = Sink::Staged {
            file: staged.map_err(place)?,
            target,
            replaces,
        };
        Ok(Self {
            path: path.to_owned(),
            sink,
        })
    }

    /// Brings the file to its place: data to the disk, rename, folder to the disk.
    ///
    /// # Errors
    /// The disk failed; the old file is then still there. Or a file that may not be replaced has
    /// appeared; then the new one is beside it under a name of its own.
    pub fn commit(self) -> Result<(), OutputError> {
        let path = self.path;
        let write = |source| OutputError::write(&path, source);
        match self.sink {
            Sink::Direct(mut file) => file.flush().map_err(write),
            Sink::Staged {
                file,
                target,
                replaces,
            } => {
                file.as_file().sync_all().map_err(write)?;
                let folder = folder_of(&target).to_owned();
                match rename(file, &target, replaces) {
                    Ok(()) => sync_folder(&folder).map_err(write),
                    Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
                        Err(set_beside(error.file, &path, &target))
                    }
                    Err(error) => Err(write(error.error)),
                }
            }
        }
    }

    /// Writes all there is to write, and brings the file to its place.
    pub fn finish(mut self, bytes: &[u8]) -> Result<(), OutputError> {
        let written = self.write_all(bytes);
        written.map_err(|source| self.write_error(source))?;
        self.commit()
    }

    /// Names this file in what the system said of a failed write.
    pub fn write_error(&self, source: io::Error) -> OutputError {
        OutputError::write(&self.path, source)
    }
}

/// A file written in many small parts. Its first error stops the writing, not the caller's work:
/// [`finish`](Self::finish) tells it.
#[derive(Debug)]
pub struct OutputBuffer {
    file: BufWriter<OutputFile>,
    failed: Option<io::Error>,
}

impl OutputBuffer {
    /// Buffers what is written to a file.
    pub fn new(file: OutputFile) -> Self {
        Self {
            file: BufWriter::with_capacity(1 << 16, file),
            failed: None,
        }
    }

    /// Adds a part, unless an earlier one failed.
    pub fn add(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        if self.failed.is_none() {
            self.failed = write(&mut self.file).err();
        }
    }

    /// Brings the file to its place.
    ///
    /// # Errors
    /// The first write that failed, or the last step to the disk.
    pub fn finish(mut self) -> Result<(), OutputError> {
        self.add(|file| file.flush());
        let (file, _) = self.file.into_parts();
        match self.failed {
            Some(source) => Err(file.write_error(source)),
            None => file.commit(),
        }
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            // Past NamedTempFile itself, whose errors repeat the hidden name.
            Sink::Staged { file, .. } => file.as_file_mut().write(bytes),
            Sink::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Staged { file, .. } => file.as_file_mut().flush(),
            Sink::Direct(file) => file.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        let mut file = OutputFile::create(path, Replaces::AnyFile).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file.commit().unwrap();
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn the_old_file_stands_until_the_commit_and_nothing_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.txt");
        write(&path, "old");
        let mut file = OutputFile::create(&path, Replaces::AnyFile).unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        drop(file);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        write(&path, "new");
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["report.txt"]);
    }

    #[test]
    fn a_folder_or_a_missing_folder_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let text = OutputFile::create(folder.path(), Replaces::AnyFile)
            .unwrap_err()
            .to_string();
        assert!(
            text.ends_with("it is a folder; name a file in it"),
            "{text}"
        );
        let inside = folder.path().join("no/report.txt");
        let error = OutputFile::create(&inside, Replaces::AnyFile).unwrap_err();
        assert!(error.to_string().contains("there is no folder"), "{error}");
        assert_eq!(error.exit_code(), 2);
        assert!(names(folder.path()).is_empty());
    }

    #[test]
    fn what_passel_did_not_write_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.csv");
        let create = || OutputFile::create(&path, Replaces::Trace);
        // There is nothing to lose in an empty file.
        fs::write(&path, "").unwrap();
        create().unwrap().finish(b"first").unwrap();
        let error = create().unwrap_err();
        assert!(error.to_string().contains("not a trace that passel wrote"));
        assert_eq!(error.exit_code(), 2);
        let own = "iteration,particle,move,variable,size,criterion,best\n";
        fs::write(&path, own).unwrap();
        create().unwrap().finish(b"second").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "second");
        assert_eq!(names(folder.path()), ["report.csv"]);
    }

    #[test]
    fn a_file_that_appears_meanwhile_stays_and_the_new_one_is_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.txt");
        let file = OutputFile::create(&path, Replaces::Report).unwrap();
        fs::write(&path, "a user's").unwrap();
        fs::write(folder.path().join("report.txt~2"), "too").unwrap();
        let error = file.finish(b"ours").unwrap_err();
        assert!(error.to_string().contains("report.txt~3"), "{error}");
        assert_eq!(error.exit_code(), 1);
        assert_eq!(fs::read_to_string(&path).unwrap(), "a user's");
        let beside = folder.path().join("report.txt~3");
        assert_eq!(fs::read_to_string(beside).unwrap(), "ours");
        // Another process that makes the same report is no stranger.
        fs::remove_file(&path).unwrap();
        let file = OutputFile::create(&path, Replaces::Report).unwrap();
        fs::write(&path, "theirs\npassel 0.1.0\n").unwrap();
        file.finish(b"ours").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "ours");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_kept_and_new_files_are_like_any_other() {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let folder = tempfile::tempdir().unwrap();
        let (ours, theirs) = (folder.path().join("a"), folder.path().join("b"));
        write(&ours, "");
        fs::write(&theirs, "").unwrap();
        assert_eq!(mode(&ours), mode(&theirs));
        fs::set_permissions(&ours, fs::Permissions::from_mode(0o640)).unwrap();
        write(&ours, "again");
        assert_eq!(mode(&ours), 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_even_where_it_points_to_nothing_yet() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("real", &link).unwrap();
        for text in ["first", "second"] {
            write(&link, text);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_eq!(
                fs::read_to_string(folder.path().join("real")).unwrap(),
                text
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_as_it_is() {
        use std::os::unix::fs::FileTypeExt;
        write(Path::new("/dev/null"), "gone");
        let null = fs::metadata("/dev/null").unwrap();
        assert!(null.file_type().is_char_device());
    }
}
