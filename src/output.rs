//! Files that appear whole or not at all: written beside their place, flushed
//! to the disk, then renamed over it. Whatever fails before the rename, a full
//! disk or a kill, leaves the old file as it was.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;
use thiserror::Error;

/// Why a file could not be written.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct OutputError {
    message: String,
    source: Option<io::Error>,
    /// Whether the place was wrong from the start, before any work was done.
    is_place: bool,
}

impl OutputError {
    /// The place cannot take a file; `reason` goes on after its name.
    fn refuse(path: &Path, reason: &str) -> Self {
        Self {
            message: format!("cannot write {}{reason}", path.display()),
            source: None,
            is_place: true,
        }
    }

    /// The system says that the place cannot take a file.
    pub fn place(path: &Path, source: io::Error) -> Self {
        let source = Some(source);
        Self {
            source,
            ..Self::refuse(path, "")
        }
    }

    /// 2 for a place that was wrong from the start, 1 for a disk that failed.
    pub fn exit_code(&self) -> u8 {
        1 + u8::from(self.is_place)
    }
}

/// A file being written. Dropped without [`commit`](Self::commit) it leaves no
/// trace, unless the program is killed outright: then a hidden
/// `.passel-…` file stays beside the target.
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
    /// A missing folder, a folder in the file's place, or a file or folder that
    /// may not be written.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        Self::create_staged(path, None)
    }

    /// The same, with the temporary file in this folder of the same disk.
    pub fn create_staged(path: &Path, folder: Option<&Path>) -> Result<Self, OutputError> {
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
            let sink = Sink::Direct(open.open(path).map_err(place)?);
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
        }
        let file = temporary(elsewhere.unwrap_or(folder), existing.as_ref()).map_err(place)?;
        let sink = Sink::Staged { file, target };
        Ok(Self {
            path: path.to_owned(),
            sink,
        })
    }

    /// Brings the file to its place: data to the disk, rename, folder to the disk.
    ///
    /// # Errors
    /// The disk failed; the old file is then still there.
    pub fn commit(self) -> Result<(), OutputError> {
        let path = self.path;
        let write = |source| write_error(&path, source);
        match self.sink {
            Sink::Direct(mut file) => file.flush().map_err(write),
            Sink::Staged { file, target } => {
                file.as_file().sync_all().map_err(write)?;
                let folder = folder_of(&target).to_owned();
                file.persist(&target).map_err(|error| write(error.error))?;
                sync_folder(&folder).map_err(write)
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
        write_error(&self.path, source)
    }
}

/// Writing failed half-way; a file that was there before is unchanged.
fn write_error(path: &Path, source: io::Error) -> OutputError {
    OutputError {
        message: format!("writing {} failed", path.display()),
        source: Some(source),
        is_place: false,
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
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        let file = OutputFile::create(path)?;
        Ok(Self {
            file: BufWriter::with_capacity(1 << 16, file),
            failed: None,
        })
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

/// The file a chain of symbolic links ends at, whether it exists or not
/// (`canonicalize` wants it to exist).
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..40 {
        match fs::symlink_metadata(&target) {
            Ok(facts) if facts.is_symlink() => {
                target = folder_of(&target).join(fs::read_link(&target)?);
            }
            _ => return Ok(target),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The folder a path lies in; `.` for a bare name.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// A temporary file that will have the permissions of the file it replaces, or
/// those of any new file.
fn temporary(folder: &Path, existing: Option<&fs::Metadata>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".passel-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Given at creation, so the umask is taken off: never 0600.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder).map_err(bare)?;
    if let Some(existing) = existing {
        file.as_file().set_permissions(existing.permissions())?;
    }
    Ok(file)
}

/// The error without the hidden file's name, which would only puzzle a reader.
fn bare(error: io::Error) -> io::Error {
    error.kind().into()
}

/// A rename is only safe from a power cut once the folder itself is on the disk.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Some file systems cannot sync a folder, and a folder may be writable
        // without being readable: the file itself is safe by now.
        Err(error) if error.kind() != io::ErrorKind::StorageFull => Ok(()),
        done => done,
    }
}

#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, text: &str) {
        let mut file = OutputFile::create(path).unwrap();
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
        let mut file = OutputFile::create(&path).unwrap();
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
        let text = OutputFile::create(folder.path()).unwrap_err().to_string();
        assert!(
            text.ends_with("it is a folder; name a file in it"),
            "{text}"
        );
        let inside = folder.path().join("no/report.txt");
        let error = OutputFile::create(&inside).unwrap_err();
        assert!(error.to_string().contains("there is no folder"), "{error}");
        assert_eq!(error.exit_code(), 2);
        assert!(names(folder.path()).is_empty());
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
