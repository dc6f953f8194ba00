//! Loading: a library is opened for good, its entry called once with the engine's table of
//! functions, and its description read.

// Another's code is called, and called by it.
#![allow(unsafe_code)]

use std::{
    collections::BTreeMap,
    env::consts::{DLL_PREFIX, DLL_SUFFIX},
    error::Error,
    ffi::{CStr, CString, c_char},
    fs,
    io::{self, Write},
    path::{self, Path, PathBuf},
    ptr,
    sync::{Mutex, PoisonError},
};

use libloading::Library;
use passel_abi::{
    PASSEL_ABI_VERSION, PASSEL_LOG_ERROR, passel_engine, passel_entry as Entry, passel_plugin,
};

use super::{
    description::Plugin,
    elf, ends,
    error::{PluginError, unreadable},
    files, find,
    guard::Called,
    installed, mapped, memory,
    process_state::kept,
    read,
};
use crate::{foreign_calls::within_grace, machine};

/// How a library came to be loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whence {
    /// It was named.
    Named,
    /// It lies in a folder of [`PATH`](super::PATH).
    Folder,
    /// It lies beside the program.
    Beside,
    /// It is installed.
    Installed,
}

impl Whence {
    /// What messages about the end of the process say behind a plugin's name: the user may not know of a library that was not named, and
    /// needs to be rid of it.
    fn told(self, path: &Path) -> String {
        let shown = memory::printable(&path.to_string_lossy());
        match (self, name_of(path)) {
            (Self::Named, _) => String::new(),
            (Self::Installed, Ok(stem)) => {
                let name = stem.replace('_', "-");
                let own =
                    installed::user_folder().map(|folder| installed::library_in(&folder, &name));
                match own.is_some_and(|own| own == path) {
                    true => format!(
                        ", installed as {shown} (`passel plugins remove {name}` removes it)"
                    ),
                    false => format!(", installed as {shown}"),
                }
            }
            _ => format!(" of {shown}"),
        }
    }
}

/// Loads a library. One that was not named has no more time for it than calls have beyond their limit, for nobody may know why
/// it takes long.
pub(super) fn load(path: &Path, whence: Whence) -> Result<Plugin, PluginError> {
    let path = whole_path(path)?;
    if whence != Whence::Beside {
        ends::note_others();
    }
    let loaded = match whence {
        Whence::Named => library(&path, whence),
        _ => within_grace(|| library(&path, whence)),
    };
    loaded.map_err(|reason| PluginError { path, reason })
}

/// Checks a library as far as that is possible without loading it.
pub(super) fn inspect(path: &Path) -> Result<(), PluginError> {
    let path = whole_path(path)?;
    let checked = file_name(&path).map(drop);
    checked.map_err(|reason| PluginError { path, reason })
}

/// The path with its folder: without one the system would look elsewhere.
fn whole_path(path: &Path) -> Result<PathBuf, PluginError> {
    path::absolute(path).map_err(|error| PluginError {
        path: path.to_owned(),
        reason: unreadable(error),
    })
}

fn library(path: &Path, whence: Whence) -> Result<Plugin, String> {
    let name = file_name(path)?;
    let told = whence.told(path);
    let entry = entry(path, &format!("passel_plugin_{name}"), &told)?;
    let name = name.replace('_', "-");
    let called = Called::entry(&format!("{name}{told}"));
    // SAFETY: by the contract a symbol of this name is an entry.
    unsafe { enter(entry, called, &name, path) }
}

/// The plugin's name by its file, which is checked as far as that is possible without loading it.
fn file_name(path: &Path) -> Result<String, String> {
    let facts = fs::metadata(path).map_err(unreadable)?;
    // A pipe would be waited for.
    if !facts.is_file() {
        return Err(unreadable("it is not a file"));
    }
    if let Some(fault) = elf::fault(path).map_err(unreadable)? {
        return Err(fault);
    }
    name_of(path)
}

/// Calls the entry of a plugin that is part of the program, and reads its description.
pub(super) fn linked(name: &str, entry: Entry) -> Result<Plugin, PluginError> {
    let name = name.replace('_', "-");
    // Where a library's path would be.
    let path = Path::new("linked").join(&name);
    // SAFETY: an entry by its type.
    unsafe { enter(entry, Called::entry(&name), &name, &path) }
        .map_err(|reason| PluginError { path, reason })
}

/// Calls an entry and reads the description that it returns.
///
/// # Safety
/// A plugin's entry.
unsafe fn enter(entry: Entry, called: Called, name: &str, path: &Path) -> Result<Plugin, String> {
    let engine = EngineHandle::leak(name);
    // SAFETY: the caller's; the engine's table is never freed.
    let enter = || unsafe { entry(&engine.table) };
    let plugin: *const passel_plugin = kept(|| called.run(enter));
    let logged = engine.end_entry();
    if plugin.is_null() {
        let reason = match &*logged {
            "" => "it returned null and did not say why",
            logged => logged,
        };
        return Err(format!("its entry gave up: {reason}"));
    }
    if !logged.is_empty() {
        engine.warn(&logged);
    }
    // What it handed out may be no table, and fault.
    // SAFETY: the table of a plugin that was entered.
    let read = kept(|| called.run(|| unsafe { read::plugin(plugin, name, path) }))?;
    own_alone(plugin, path)?;
    Ok(read)
}

/// Refuses a description that another library has handed out: symbols of C++ that are unique in the process make two libraries one.
fn own_alone(plugin: *const passel_plugin, path: &Path) -> Result<(), String> {
    static KNOWN: Mutex<BTreeMap<usize, PathBuf>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let by = known
        .entry(plugin.addr())
        .or_insert_with(|| path.to_owned());
    match find::canonical(by) == find::canonical(path) {
        true => Ok(()),
        false => Err(format!(
            "what it brings is that of {}, loaded before: build it with -fno-gnu-unique, or with hidden symbols",
            by.display()
        )),
    }
}

/// The plugin's name by the file name of its library, spelt as in its entry's symbol.
fn name_of(path: &Path) -> Result<String, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(DLL_SUFFIX).unwrap_or(&name);
    let stem = stem.strip_prefix(DLL_PREFIX).unwrap_or(stem);
    let stem = stem.strip_prefix("passel_").unwrap_or(stem);
    let stem = stem.replace('-', "_");
    match memory::is_name(&stem.replace('_', "-")) {
        true => Ok(stem),
        false => Err(format!(
            "`{stem}`, its name without prefix and suffix, is no plugin's: a small letter, then \
             small letters, digits, _"
        )),
    }
}

/// The entry of a library, which stays loaded for the life of the process. Its name and this are what messages say.
fn entry(path: &Path, symbol: &str, told: &str) -> Result<Entry, String> {
    if ends::is_program() {
        machine::keep_standard_output();
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // SAFETY: whoever puts a library where plugins are looked for, or names it, asks for what
    // it does when it is loaded.
    let library = kept(|| Called::entry(&format!("{name}{told}")).run(|| unsafe { open(path) }))
        .map_err(|error| format!("the system does not load it: {}", reason(&error, path)))?;
    if ends::is_program() {
        mapped::note(path);
    }
    // SAFETY: the contract gives symbols of this name this type.
    let entry = unsafe { library.get::<Entry>(symbol) }.map(|symbol| *symbol);
    // Never unloaded: its code may be running, and what it handed out is read later.
    std::mem::forget(library);
    entry.map_err(|_| format!("not a plugin of this name: it has no `{symbol}`"))
}

/// The system's reason, without the path, which the error has already.
fn reason(error: &libloading::Error, path: &Path) -> String {
    let said = error
        .source()
        .map_or(error.to_string(), ToString::to_string);
    let said = memory::printable(&said);
    let path = format!("{}: ", path.display());
    said.strip_prefix(&path).unwrap_or(&said).to_owned()
}

/// Opens a library.
///
/// # Safety
/// The library's initialisers run.
#[cfg(unix)]
unsafe fn open(path: &Path) -> Result<Library, libloading::Error> {
    use libloading::os::unix::{Library as Unix, RTLD_LOCAL, RTLD_NOW};
    // All its symbols at once: one that is missing is an error here, not the end of the
    // process when it is called.
    // SAFETY: the caller's.
    unsafe { Unix::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.map(Library::from)
}

/// Opens a library.
///
/// # Safety
/// The library's initialisers run.
#[cfg(not(unix))]
unsafe fn open(path: &Path) -> Result<Library, libloading::Error> {
    // SAFETY: the caller's.
    unsafe { Library::new(path) }
}

/// The engine as one plugin sees it, never freed.
struct EngineHandle {
    table: passel_engine,
    plugin: String,
    /// Errors that the entry logs while it runs; `None` afterwards.
    entering: Mutex<Option<String>>,
    /// The last warning: a function called a million times a second must not repeat it.
    last: Mutex<String>,
}

impl EngineHandle {
    fn leak(plugin: &str) -> &'static Self {
        let version = CString::new(env!("CARGO_PKG_VERSION")).unwrap_or_default();
        let handle = Box::into_raw(Box::new(Self {
            table: passel_engine {
                size: size_of::<passel_engine>(),
                abi_version: PASSEL_ABI_VERSION,
                version: version.into_raw(),
                log: Some(log),
                data: ptr::null(),
                path: Some(path),
            },
            plugin: plugin.to_owned(),
            entering: Mutex::new(Some(String::new())),
            last: Default::default(),
        }));
        // SAFETY: made above and never freed; written before anybody reads it.
        unsafe {
            (*handle).table.data = handle.cast();
            &*handle
        }
    }

    /// Marks the entry as over; the errors that it logged.
    fn end_entry(&self) -> String {
        let mut entering = self.entering.lock().unwrap_or_else(PoisonError::into_inner);
        entering.take().unwrap_or_default()
    }

    /// Writes a warning on standard error, unless it was the last one.
    fn warn(&self, text: &str) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if *last == text {
            return;
        }
        text.clone_into(&mut last);
        // Standard error may be closed.
        let _ = writeln!(io::stderr(), "warning: {}: {text}", self.plugin);
    }
}

/// [`passel_engine::log`], called by plugins from any thread.
unsafe extern "C" fn log(engine: *const passel_engine, level: u32, text: *const c_char) {
    if engine.is_null() || text.is_null() {
        return;
    }
    // SAFETY: the table that the entry was given, whose data is its handle; and a text that ends
    // with a zero byte.
    let (handle, text) = unsafe {
        (
            &*(*engine).data.cast::<EngineHandle>(),
            CStr::from_ptr(text),
        )
    };
    let text = memory::printable(&text.to_string_lossy());
    let mut entering = handle
        .entering
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    match entering.as_mut().filter(|_| level == PASSEL_LOG_ERROR) {
        Some(logged) if logged.is_empty() => *logged = text,
        Some(logged) => *logged += &format!("; {text}"),
        None => handle.warn(&text),
    }
}

/// [`passel_engine::path`], called by plugins from any thread.
unsafe extern "C" fn path(
    _: *const passel_engine,
    value: f64,
    path: *mut c_char,
    path_size: usize,
) -> i32 {
    let own = files::path_of(value);
    let own = own.as_ref().map(|own| own.as_bytes_with_nul());
    let Some(own) = own.filter(|own| own.len() <= path_size && !path.is_null()) else {
        return 1;
    };
    // SAFETY: the plugin's room of so many bytes, which overlaps nothing.
    unsafe { ptr::copy_nonoverlapping(own.as_ptr().cast(), path, own.len()) };
    0
}
