//! Compiled kernels on the disk: a compilation costs 50 ms and more, a program has many.
//!
//! A file's name comes from everything its content depends on, so nothing is ever out of
//! date; its header says how long the content is and what it sums to, so a file that was
//! cut or damaged is compiled again. It is written beside its place and renamed: any
//! number of processes may share the folder. Where no file can be kept, none is.

use std::{
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use tempfile::{Builder, NamedTempFile};

use crate::fnv::Fnv;

/// First bytes of every file; the last is the version of the form.
const MAGIC: [u8; 8] = *b"PASSELK\x01";

/// Before the content: magic, key, length, checksum.
const HEADER: usize = 8 + 16 + 8 + 16;

/// A folder of compiled kernels.
#[derive(Debug, Clone)]
pub(super) struct Cache {
    folder: Option<PathBuf>,
}

/// What came out of a cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Image {
    pub(super) bytes: Vec<u8>,
    /// Whether it was on the disk.
    pub(super) kept: bool,
}

impl Cache {
    /// The user's: `$PASSEL_CACHE`, else `$XDG_CACHE_HOME/passel`, else `~/.cache/passel`.
    pub(super) fn of_user() -> Self {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty());
        let folder = set("PASSEL_CACHE").map(PathBuf::from).or_else(|| {
            let caches = set("XDG_CACHE_HOME").map(PathBuf::from);
            // Its specification has relative ones ignored.
            let caches = caches.filter(|path| path.is_absolute());
            let caches = caches.or_else(|| Some(Path::new(&set("HOME")?).join(".cache")))?;
            Some(caches.join("passel"))
        });
        Self { folder }
    }

    /// That of a folder.
    pub(super) fn of(folder: &Path) -> Self {
        Self {
            folder: Some(folder.to_owned()),
        }
    }

    /// Kernels that came with the program: `$PASSEL_KERNELS`, else the folder `kernels` beside it. They are only read.
    pub(super) fn of_program() -> Self {
        let set = env::var_os("PASSEL_KERNELS").filter(|value| !value.is_empty());
        let folder = set.map(PathBuf::from).or_else(|| {
            let program = env::current_exe().ok()?;
            Some(program.parent()?.join("kernels"))
        });
        Self { folder }
    }

    /// The folder, if images can be kept at all.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The image that `parts` determine: from the disk, or from `compile` and then kept.
    ///
    /// `stem` begins the file's name, for a human who looks.
    pub(super) fn image<E>(
        &self,
        stem: &str,
        parts: &[&str],
        compile: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Image, E> {
        if let Some(bytes) = self.kept(stem, parts) {
            return Ok(Image { bytes, kept: true });
        }
        self.renew(stem, parts, compile)
    }

    /// As [`image`](Self::image), whatever lies on the disk: for an image that is not as
    /// it should be, though it is as it was written.
    pub(super) fn renew<E>(
        &self,
        stem: &str,
        parts: &[&str],
        compile: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Image, E> {
        let bytes = compile()?;
        // Where it cannot be kept the next run compiles again, that is all.
        drop(self.keep(stem, parts, &bytes));
        Ok(Image { bytes, kept: false })
    }

    fn path(&self, stem: &str, key: u128) -> Option<PathBuf> {
        let folder = self.folder.as_ref()?;
        Some(folder.join(format!("{stem}-{key:032x}")))
    }

    /// The image that `parts` determine, if it is on the disk.
    pub(super) fn kept(&self, stem: &str, parts: &[&str]) -> Option<Vec<u8>> {
        let key = key(parts);
        let mut file = fs::read(self.path(stem, key)?).ok()?;
        let content = file.get(HEADER..)?;
        if file[..HEADER] != header(key, content) {
            return None;
        }
        file.drain(..HEADER);
        Some(file)
    }

    /// Keeps the image that `parts` determine.
    ///
    /// # Errors
    /// The folder cannot take it.
    pub(super) fn keep(&self, stem: &str, parts: &[&str], bytes: &[u8]) -> io::Result<()> {
        let key = key(parts);
        let Some((folder, path)) = self.folder().zip(self.path(stem, key)) else {
            return Err(io::Error::other("there is no folder to keep it in"));
        };
        fs::create_dir_all(folder)?;
        let mut file = readable(folder)?;
        file.write_all(&header(key, bytes))?;
        file.write_all(bytes)?;
        file.persist(&path)?;
        Ok(())
    }
}

/// A temporary file that becomes one which other users may read: a folder may serve them too.
fn readable(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644));
    builder.tempfile_in(folder)
}

fn header(key: u128, content: &[u8]) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..24].copy_from_slice(&key.to_le_bytes());
    header[24..32].copy_from_slice(&(content.len() as u64).to_le_bytes());
    header[32..].copy_from_slice(&Fnv::new().bytes(content).finish().to_le_bytes());
    header
}

/// A number that parts determine; lengths go in, so that none runs into the next.
fn key(parts: &[&str]) -> u128 {
    let hash = |hash: Fnv, part: &&str| hash.part(part.as_bytes());
    parts.iter().fold(Fnv::new(), hash).finish()
}

#[cfg(test)]
mod tests {
    use std::{
        convert::Infallible,
        sync::atomic::{AtomicUsize, Ordering},
        thread,
    };

    use super::*;

    const PARTS: [&str; 3] = ["source", "sm_90a", "NVRTC 13.0"];

    fn cache(folder: &Path) -> Cache {
        Cache {
            folder: Some(folder.to_owned()),
        }
    }

    fn bytes() -> Vec<u8> {
        (0..=255).cycle().take(10_000).collect()
    }

    /// Asks once, with a compiler that must give `bytes`; whether it came from the disk.
    fn kept(cache: &Cache, parts: &[&str]) -> bool {
        let image = cache.image("k", parts, || Ok::<_, Infallible>(bytes()));
        let image = image.unwrap();
        assert_eq!(image.bytes, bytes());
        image.kept
    }

    fn only_file(folder: &Path) -> PathBuf {
        let files: Vec<_> = fs::read_dir(folder).unwrap().collect();
        assert_eq!(files.len(), 1, "{files:?}");
        files[0].as_ref().unwrap().path()
    }

    #[test]
    fn an_image_is_compiled_once() {
        let folder = tempfile::tempdir().unwrap();
        // A folder that is not there yet is made.
        let deep = folder.path().join("a/b");
        assert!(!kept(&cache(&deep), &PARTS));
        assert!(kept(&cache(&deep), &PARTS));
        let failed: Result<Image, &str> = cache(&deep).image("k", &["other"], || Err("no"));
        assert_eq!(failed, Err("no"));
    }

    #[test]
    fn whatever_it_depends_on_tells_images_apart() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        assert!(!kept(&cache, &PARTS));
        for other in [
            ["source", "sm_90a", "NVRTC 12.9"],
            ["source", "sm_100", "NVRTC 13.0"],
            ["source ", "sm_90a", "NVRTC 13.0"],
            ["sourc", "esm_90a", "NVRTC 13.0"],
        ] {
            assert!(!kept(&cache, &other), "{other:?}");
        }
        assert!(kept(&cache, &PARTS));
    }

    #[test]
    fn a_file_cut_or_damaged_anywhere_is_written_anew() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        assert!(!kept(&cache, &PARTS));
        let path = only_file(folder.path());
        let whole = fs::read(&path).unwrap();
        for length in [0, 1, HEADER - 1, HEADER, whole.len() / 2, whole.len() - 1] {
            fs::write(&path, &whole[..length]).unwrap();
            assert!(!kept(&cache, &PARTS), "cut to {length}");
            assert_eq!(fs::read(&path).unwrap(), whole);
        }
        for at in [0, 8, 24, 32, HEADER, whole.len() - 1] {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            assert!(!kept(&cache, &PARTS), "damaged at {at}");
        }
        fs::write(&path, [&whole[..], b"more"].concat()).unwrap();
        assert!(!kept(&cache, &PARTS));
        assert!(kept(&cache, &PARTS));
        let anew = cache.renew("k", &PARTS, || Ok::<_, Infallible>(vec![7]));
        assert!(!anew.unwrap().kept);
        assert_eq!(cache.kept("k", &PARTS), Some(vec![7]));
    }

    #[test]
    fn many_may_compile_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let compiled = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for round in 0..20 {
                        let parts = ["source", &round.to_string()];
                        let image = cache(folder.path()).image("k", &parts, || {
                            compiled.fetch_add(1, Ordering::Relaxed);
                            Ok::<_, Infallible>(bytes())
                        });
                        assert_eq!(image.unwrap().bytes, bytes());
                    }
                });
            }
        });
        assert!(compiled.load(Ordering::Relaxed) >= 20);
        // No temporary file is left.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 20);
    }

    #[test]
    fn without_a_folder_nothing_is_kept_and_nothing_fails() {
        let folder = tempfile::tempdir().unwrap();
        // Below a file there can be no folder, not even for root.
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        for cache in [cache(&file.join("cache")), Cache { folder: None }] {
            assert!(!kept(&cache, &PARTS));
            assert!(!kept(&cache, &PARTS));
        }
    }
}
