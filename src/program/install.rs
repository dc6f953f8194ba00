//! `passel plugins install` and `remove`: libraries in the user's folder, each with a manifest beside it.

use std::{
    env,
    env::consts::DLL_SUFFIX,
    ffi::OsString,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    process::ExitStatus,
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use clap::ArgMatches;
use serde_json::Value;
use tempfile::TempDir;

use super::{
    EXIT_FAILED, EXIT_USAGE,
    archive::{self, Entry},
    print::{print_error, print_page, print_text},
};
use crate::{
    batch::{Child, ended_text, error_chain},
    interrupt::{Interrupt, grace},
    output::{OutputError, OutputFile, Replaces},
    plugin::{self, Manifest, inspect, library_in, look, manifest_of},
};

/// What the name of every entry begins with, which is in the table of symbols of a plugin.
const ENTRY: &[u8] = b"passel_plugin_";

/// How often it is looked whether the user has asked for the end.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// How long what the process of a library said is waited for once it has ended.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Why nothing was done: the exit code, and the message.
type Failure = (u8, String);

fn usage(message: String) -> Failure {
    (EXIT_USAGE, message)
}

fn failed(what: &str, path: &Path, error: &io::Error) -> Failure {
    (
        EXIT_FAILED,
        format!("cannot {what} {}: {error}", path.display()),
    )
}

/// Tells what was done, or why not; the exit code.
fn tell(done: Result<String, Failure>) -> u8 {
    match done {
        Ok(text) => print_text(&text),
        Err((code, message)) => {
            print_error(&format!("error: {message}"));
            code
        }
    }
}

/// The folder that plugins are installed in.
fn folder() -> Result<PathBuf, Failure> {
    let none = || {
        usage("there is no folder of the user's to install plugins in: set HOME, or XDG_DATA_HOME, to a whole path".to_owned())
    };
    plugin::user_folder().ok_or_else(none)
}

/// Installs the plugins of a library or an archive; the exit code.
pub(super) fn install(matches: &ArgMatches, interrupt: &Interrupt) -> u8 {
    let Some(file) = matches.get_one::<PathBuf>("file") else {
        return EXIT_USAGE;
    };
    // Else a request ends the process where it is, and its temporary folder stays.
    let _heeding = interrupt.heeding();
    tell(install_file(file, matches.get_flag("force"), interrupt))
}

/// A plugin that was checked and waits to be put in its place.
struct Checked {
    /// What messages call it: the file, and its entry of an archive.
    shown: String,
    path: PathBuf,
    manifest: Manifest,
}

fn install_file(file: &Path, force: bool, interrupt: &Interrupt) -> Result<String, Failure> {
    let folder = folder()?;
    // What is checked is what is installed, whatever becomes of the file meanwhile.
    let staging = TempDir::new().map_err(|error| failed("write to", &env::temp_dir(), &error))?;
    let mut checked: Vec<Checked> = Vec::new();
    for entry in libraries(file, staging.path())? {
        let shown = entry.name;
        let refused = |reason| usage(format!("{shown}: {reason}; nothing was installed"));
        let manifest = describe(&entry.path, interrupt).map_err(refused)?;
        if plugin::is_own(&manifest.name) {
            let name = &manifest.name;
            let reason = format!(
                "plugin `{name}` is one of passel's own, which comes first: an installed one of this name is never used"
            );
            return Err(refused(reason));
        }
        if let Some(other) = checked
            .iter()
            .find(|own| own.manifest.name == manifest.name)
        {
            let (name, other) = (&manifest.name, &other.shown);
            let reason = format!("plugin `{name}` is in {other} as well");
            return Err(refused(reason));
        }
        if !force {
            in_place(&folder, &manifest, &shown)?;
        }
        checked.push(Checked {
            path: entry.path,
            manifest,
            shown,
        });
    }
    fs::create_dir_all(&folder).map_err(|error| failed("make the folder", &folder, &error))?;
    let mut told = String::new();
    for own in &checked {
        let library = place(&folder, own).map_err(|error| {
            let code = error.exit_code();
            (code, error_chain(&error))
        })?;
        let (name, version) = (&own.manifest.name, &own.manifest.version);
        told += &format!("Installed {name} {version} as {}\n", library.display());
    }
    Ok(told)
}

/// The libraries of plugins that a file is or holds, copied into a folder.
fn libraries(file: &Path, staging: &Path) -> Result<Vec<Entry>, Failure> {
    let shown = file.display().to_string();
    if shown.contains("://") {
        let reason = "nothing is fetched: download it, check it, and install the file";
        return Err(usage(format!("{shown}: {reason}")));
    }
    let refused = |reason: String| usage(format!("{shown}: {reason}; nothing was installed"));
    let is_file = fs::metadata(file).map(|facts| facts.is_file());
    match is_file {
        Err(error) => return Err(refused(format!("it cannot be read: {error}"))),
        Ok(false) => return Err(refused("it is not a file".to_owned())),
        Ok(true) => {}
    }
    if archive::is_archive(file) {
        let entries = archive::unpack(file, staging).map_err(refused)?;
        let nothing = |reason| usage(format!("{reason}; nothing was installed"));
        return plugins_of(entries, &shown).map_err(nothing);
    }
    if !shown.ends_with(DLL_SUFFIX) {
        return Err(refused(format!(
            "it is neither a shared library, whose name ends with {DLL_SUFFIX}, nor an archive: .zip, .whl, .tar.gz or .tgz"
        )));
    }
    let path = staging.join(file.file_name().unwrap_or_default());
    fs::copy(file, &path).map_err(|error| refused(format!("it cannot be copied: {error}")))?;
    Ok(vec![Entry {
        name: shown.clone(),
        path,
    }])
}

/// The libraries of an archive, which are plugins all; of several for as many processors that for this one.
fn plugins_of(entries: Vec<Entry>, archive: &str) -> Result<Vec<Entry>, String> {
    let mut usable: Vec<Entry> = Vec::new();
    let mut refused: Vec<(Entry, String)> = Vec::new();
    let mut others: Vec<String> = Vec::new();
    for entry in entries {
        let bytes =
            fs::read(&entry.path).map_err(|error| format!("{archive}, {}: {error}", entry.name))?;
        if !bytes.windows(ENTRY.len()).any(|window| window == ENTRY) {
            others.push(entry.name);
            continue;
        }
        let name = format!("{archive}, {}", entry.name);
        let entry = Entry { name, ..entry };
        match inspect(&entry.path) {
            Ok(()) => usable.push(entry),
            Err(error) => refused.push((entry, error.reason)),
        }
    }
    // Whoever made the archive took it for one, or has one need it: either way what is installed would not be what was meant.
    if let Some(other) = others.first() {
        return Err(format!(
            "{archive}, {other}: it is no plugin, which has an entry passel_plugin_NAME, and an archive is installed whole or not at all"
        ));
    }
    let is_elsewhere = |entry: &Entry| {
        let name = entry.path.file_name();
        usable.iter().any(|other| other.path.file_name() == name)
    };
    match refused.iter().find(|(entry, _)| !is_elsewhere(entry)) {
        Some((entry, reason)) => Err(format!("{}: {reason}", entry.name)),
        None => Ok(usable),
    }
}

/// What a library says of itself to another process, which it may end, and which loads nothing else.
fn describe(library: &Path, interrupt: &Interrupt) -> Result<Manifest, String> {
    inspect(library).map_err(|error| error.reason)?;
    let quoted = |path: &Path| {
        let mut text = OsString::from("\"");
        text.push(path);
        text.push("\"");
        text
    };
    let arguments = ["plugins", "--alone", "--format", "json", "--plugins"].map(OsString::from);
    let arguments = arguments.into_iter().chain([quoted(library)]);
    let started = Child::start(arguments, "", true);
    let mut child =
        started.map_err(|error| format!("no process can be started to load it: {error}"))?;
    let (output, errors) = child.pipes();
    let (output, errors) = (listen(output), listen(errors));
    let Some(status) = ended(&mut child, interrupt)? else {
        let limit = grace().as_secs_f64();
        return Err(format!(
            "it was not loaded within {limit} s: its process was killed"
        ));
    };
    // A process that the library started may hold the pipes.
    let heard = |pipe: Receiver<Vec<u8>>| pipe.recv_timeout(LAST_WORDS).unwrap_or_default();
    let (output, errors) = (heard(output), heard(errors));
    let said = String::from_utf8_lossy(&errors);
    let mut json = serde_json::from_slice::<Value>(&output).unwrap_or_default();
    let described = json.pointer_mut("/plugins/0").map(Value::take);
    let mut described = described.unwrap_or_default();
    if !status.success() || !described.is_object() {
        let place = format!("error: {}: ", library.display());
        let mut errors = said.lines().filter_map(|line| {
            let own = line.strip_prefix(&place);
            own.or_else(|| line.strip_prefix("error: "))
        });
        return Err(match errors.next_back() {
            Some(error) => error.to_owned(),
            None => format!("the process that loaded it {}", ended_text(status)),
        });
    }
    // Its warnings.
    print_page(&said);
    described["platform"] = plugin::platform().into();
    serde_json::from_value(described).map_err(|error| format!("its description: {error}"))
}

/// How the process that loads a library ended, if it did in the time that calls have.
///
/// # Errors
/// This process is asked to end, or the system does not tell.
fn ended(child: &mut Child, interrupt: &Interrupt) -> Result<Option<ExitStatus>, String> {
    let started = Instant::now();
    while started.elapsed() < grace() {
        let status = child.wait(LOOK_EVERY);
        if let Some(status) = status.map_err(|error| format!("its process is lost: {error}"))? {
            return Ok(Some(status));
        }
        if interrupt.requested_here() {
            return Err("interrupted".to_owned());
        }
    }
    Ok(None)
}

/// What comes of a pipe until its end.
fn listen(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (done, heard) = mpsc::channel();
    let read = move || {
        let mut bytes = Vec::new();
        // What came before an error is told as well.
        let _ = pipe.map(|mut own| own.read_to_end(&mut bytes));
        let _ = done.send(bytes);
    };
    // Without a thread nothing is heard.
    let _ = thread::Builder::new().spawn(read);
    heard
}

/// Refuses a plugin whose name one has that is installed.
fn in_place(folder: &Path, manifest: &Manifest, shown: &str) -> Result<(), Failure> {
    let library = library_in(folder, &manifest.name);
    let there = look(library, true);
    let is_there = there.library.exists() || there.manifest.is_some() || there.fault.is_some();
    if !is_there {
        return Ok(());
    }
    let (version, hash) = match &there.manifest {
        Some(own) => (&*own.version, &*own.sha256),
        None => ("unknown", "unknown"),
    };
    let (name, place) = (&manifest.name, there.library.display());
    Err(usage(format!(
        "plugin `{name}` is installed as {place}: version {version}, SHA-256 {hash}; {shown} has version {}, SHA-256 {}; replace it \
         with --force",
        manifest.version, manifest.sha256
    )))
}

/// Puts a plugin in its place, the manifest first: a library beside the manifest of another is not used, and that is told.
fn place(folder: &Path, own: &Checked) -> Result<PathBuf, OutputError> {
    let library = library_in(folder, &own.manifest.name);
    let text = serde_json::to_string_pretty(&own.manifest).unwrap_or_default() + "\n";
    let read = |source| OutputError::place(&own.path, source);
    let bytes = fs::read(&own.path).map_err(read)?;
    for (path, bytes) in [
        (&manifest_of(&library), text.as_bytes()),
        (&library, &bytes),
    ] {
        // A link is replaced, not what it leads to.
        if fs::symlink_metadata(path).is_ok_and(|facts| facts.is_symlink()) {
            fs::remove_file(path).map_err(|source| OutputError::place(path, source))?;
        }
        OutputFile::create(path, Replaces::AnyFile)?.finish(bytes)?;
    }
    Ok(library)
}

/// Removes a plugin from the user's folder; the exit code.
pub(super) fn remove(matches: &ArgMatches) -> u8 {
    let name = matches.get_one::<String>("name");
    tell(remove_named(name.map_or("", String::as_str)))
}

fn remove_named(name: &str) -> Result<String, Failure> {
    let folder = folder()?;
    let all = plugin::installed();
    let is_meant = |one: &&plugin::Installed| {
        // By its file: a manifest may be missing, or say anything.
        let at = one.library.parent().unwrap_or(&folder);
        plugin::is_name(name) && one.library == library_in(at, name)
    };
    let meant: Vec<_> = all.iter().filter(is_meant).collect();
    let of_user: Vec<_> = meant.iter().filter(|one| one.is_users).collect();
    if of_user.is_empty() {
        let reason = match meant.first() {
            Some(one) => format!(
                "is the system's, {}, which is for its administrator to remove",
                one.library.display()
            ),
            None => "is not installed; `passel plugins list` lists those that are".to_owned(),
        };
        return Err(usage(format!("plugin `{name}` {reason}")));
    }
    let mut told = String::new();
    for one in of_user {
        // The library first: it is not used without being told of, nor is its manifest.
        for path in [one.library.clone(), manifest_of(&one.library)] {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(failed("remove", &path, &error));
                }
                _ => {}
            }
        }
        told += &format!("Removed {}\n", one.library.display());
    }
    Ok(told)
}
