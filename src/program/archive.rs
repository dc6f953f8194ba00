//! The shared libraries in an archive of plugins: a `.zip`, a wheel of Python or a `.tar.gz`.

use std::{
    env::consts::DLL_SUFFIX,
    fs::{self, File},
    io::{self, BufReader, Read},
    path::{Component, Path, PathBuf},
};

use flate2::read::MultiGzDecoder;
use tar::Archive;
use zip::ZipArchive;

use super::wheel;

/// The largest library that is taken, in bytes: a small archive may claim to hold what fills a disk.
const LARGEST: u64 = 1 << 30;

/// A library of an archive.
#[derive(Debug)]
pub(super) struct Entry {
    /// Its path in the archive.
    pub(super) name: String,
    /// Where it was unpacked.
    pub(super) path: PathBuf,
}

/// Whether a file is an archive, by its name.
pub(super) fn is_archive(path: &Path) -> bool {
    is_zip(path) || [".tar.gz", ".tgz"].iter().any(|end| ends(path, end))
}

fn is_zip(path: &Path) -> bool {
    [".zip", ".whl"].iter().any(|end| ends(path, end))
}

fn ends(path: &Path, end: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.to_ascii_lowercase().ends_with(end)
}

/// Unpacks the libraries of this system that an archive holds, each into a folder of its own in `into`.
///
/// # Errors
/// An archive that cannot be read to its end, or that has a path which leads out of it; a wheel for other platforms, or whose libraries are
/// not those of its record.
pub(super) fn unpack(archive: &Path, into: &Path) -> Result<Vec<Entry>, String> {
    let is_wheel = ends(archive, ".whl");
    if is_wheel {
        wheel::fits(archive)?;
    }
    let file = File::open(archive).map_err(|error| format!("it cannot be read: {error}"))?;
    let mut unpacked = Unpacked {
        into,
        entries: Vec::new(),
        others: Vec::new(),
        record: None,
    };
    match is_zip(archive) {
        true => zip(file, &mut unpacked),
        false => tar_gz(file, &mut unpacked),
    }?;
    if let Some(record) = unpacked.record.filter(|_| is_wheel) {
        let libraries = unpacked.entries.iter();
        let libraries = libraries.map(|own| (&*own.name, &*own.path));
        wheel::check(&record, libraries)?;
    }
    match unpacked.entries.is_empty() {
        false => Ok(unpacked.entries),
        true => Err(format!(
            "it holds no library of this system, whose names end with {DLL_SUFFIX}{}",
            match &unpacked.others[..] {
                [] => String::new(),
                others => format!(", but {}", others.join(", ")),
            }
        )),
    }
}

fn zip(file: File, unpacked: &mut Unpacked) -> Result<(), String> {
    let broken = |error| format!("it is no zip archive that can be read: {error}");
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(broken)?;
    for at in 0..archive.len() {
        let entry = archive.by_index(at).map_err(broken)?;
        let entry_name = entry.name().map_err(broken)?;
        let (name, is_file) = (entry_name.replace('\\', "/"), entry.is_file());
        unpacked.add(&name, is_file, entry)?;
    }
    Ok(())
}

fn tar_gz(file: File, unpacked: &mut Unpacked) -> Result<(), String> {
    let broken = |error| format!("it is no .tar.gz archive that can be read: {error}");
    let mut archive = Archive::new(MultiGzDecoder::new(BufReader::new(file)));
    for entry in archive.entries().map_err(broken)? {
        let entry = entry.map_err(broken)?;
        let name = entry.path().map_err(broken)?;
        let name = name.to_string_lossy().into_owned();
        let is_file = entry.header().entry_type().is_file();
        unpacked.add(&name, is_file, entry)?;
    }
    // Its checksum is behind what is unpacked.
    io::copy(&mut archive.into_inner(), &mut io::sink()).map_err(broken)?;
    Ok(())
}

/// What was unpacked of an archive.
struct Unpacked<'a> {
    into: &'a Path,
    entries: Vec<Entry>,
    /// Libraries of other systems.
    others: Vec<String>,
    /// What is called as the list of a wheel's files with their hashes.
    record: Option<Vec<u8>>,
}

impl Unpacked<'_> {
    /// Unpacks an entry if it is a library of this system.
    fn add(&mut self, name: &str, is_file: bool, mut bytes: impl Read) -> Result<(), String> {
        let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if !Path::new(name).components().all(is_inside) {
            return Err(format!(
                "its entry {name} leads out of the folder that it is unpacked in; make the archive of paths below one folder"
            ));
        }
        let Some(file) = Path::new(name).file_name().filter(|_| is_file) else {
            return Ok(());
        };
        let failed = |error: io::Error| format!("its entry {name} cannot be unpacked: {error}");
        if wheel::is_record(name) {
            let mut record = Vec::new();
            let mut bytes = bytes.take(wheel::LARGEST_RECORD);
            bytes.read_to_end(&mut record).map_err(failed)?;
            self.record = Some(record);
            return Ok(());
        }
        let is_library = |end: &&str| name.ends_with(*end);
        if !is_library(&DLL_SUFFIX) {
            let known = [".so", ".dylib", ".dll"];
            let other = known.iter().any(is_library).then(|| name.to_owned());
            self.others.extend(other);
            return Ok(());
        }
        // Of two folders both may have a file of this name.
        let folder = self.into.join(self.entries.len().to_string());
        fs::create_dir(&folder).map_err(failed)?;
        let path = folder.join(file);
        let mut to = File::create(&path).map_err(failed)?;
        let copied = io::copy(&mut (&mut bytes).take(LARGEST + 1), &mut to).map_err(failed)?;
        if copied > LARGEST {
            return Err(format!("its entry {name} is larger than {LARGEST} bytes"));
        }
        self.entries.push(Entry {
            name: name.to_owned(),
            path,
        });
        Ok(())
    }
}
