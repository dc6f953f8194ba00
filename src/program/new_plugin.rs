//! `passel plugins new`: a project for a plugin, written from the templates in `plugins/template`.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::ArgMatches;

use super::{
    EXIT_FAILED, EXIT_USAGE,
    print::{print_error, print_text},
};
use crate::plugin::{PASS, is_name};

/// A file of a project: its path in it, and its text.
type File = (&'static str, &'static str);

macro_rules! template {
    ($path:literal) => {
        include_str!(concat!("../../plugins/template/", $path))
    };
}

const PASSEL_H: File = ("passel.h", include_str!("../../plugins/abi/passel.h"));

/// What projects in all languages have.
const SHARED: [File; 6] = [
    ("README.md", template!("shared/README.md")),
    ("LICENSE", template!("shared/LICENSE")),
    (".gitignore", template!("shared/gitignore")),
    (".github/workflows/test.yml", template!("shared/test.yml")),
    ("data.csv", template!("shared/data.csv")),
    ("test.sh", template!("shared/test.sh")),
];

/// A language of plugins.
struct Language {
    name: &'static str,
    files: &'static [File],
    /// The file that has the selector.
    source: &'static str,
    /// What a machine that tests the project is prepared by.
    prepare: &'static str,
}

const LANGUAGES: [Language; 5] = [
    Language {
        name: "rust",
        files: &[
            // A folder with a Cargo.toml of its own would be left out of packages of sources.
            ("Cargo.toml", template!("rust/manifest.toml")),
            ("Makefile", template!("rust/Makefile")),
            ("lib.rs", template!("rust/lib.rs")),
        ],
        source: "lib.rs",
        prepare: "cargo --version",
    },
    Language {
        name: "c",
        files: &[
            ("Makefile", template!("c/Makefile")),
            ("selector.c", template!("c/selector.c")),
            PASSEL_H,
        ],
        source: "selector.c",
        prepare: "cc --version",
    },
    Language {
        name: "cpp",
        files: &[
            ("Makefile", template!("cpp/Makefile")),
            ("selector.cpp", template!("cpp/selector.cpp")),
            PASSEL_H,
        ],
        source: "selector.cpp",
        prepare: "c++ --version",
    },
    Language {
        name: "python",
        files: &[
            ("Makefile", template!("python/Makefile")),
            ("build.py", template!("python/build.py")),
            ("selector.py", template!("python/selector.py")),
            PASSEL_H,
        ],
        source: "selector.py",
        prepare: "pip install cffi setuptools",
    },
    Language {
        name: "fortran",
        files: &[
            ("Makefile", template!("fortran/Makefile")),
            ("passel.f90", template!("fortran/passel.f90")),
            ("selector.f90", template!("fortran/selector.f90")),
        ],
        source: "selector.f90",
        prepare: "sudo apt-get update && sudo apt-get install -y gfortran",
    },
];

/// What the templates call the plugin, in texts and in symbols, where the SDK is from there, and what they leave open.
const NAME: &str = "my-score";
const SYMBOL: &str = "my_score";
const SDK: &str = "{ path = \"../../sdk\" }";

/// Writes a project; the exit code.
pub(super) fn write(matches: &ArgMatches) -> u8 {
    let text = |name| matches.get_one::<String>(name).map_or("", String::as_str);
    let sdk = matches.get_one::<PathBuf>("sdk").map(PathBuf::as_path);
    // The command line accepts the names of languages alone.
    let language = LANGUAGES.iter().find(|own| own.name == text("language"));
    let Some(language) = language else {
        return EXIT_USAGE;
    };
    match write_project(text("name"), language, sdk) {
        Ok(told) => print_text(&told),
        Err((code, message)) => {
            print_error(&format!("error: {message}"));
            code
        }
    }
}

fn write_project(
    name: &str,
    language: &Language,
    sdk: Option<&Path>,
) -> Result<String, (u8, String)> {
    check_name(name).map_err(|message| (EXIT_USAGE, message))?;
    check_builds(name, language.name).map_err(|message| (EXIT_USAGE, message))?;
    let is_of_registry =
        language.name == "rust" && sdk.is_none() && env!("CARGO_PKG_REPOSITORY").is_empty();
    if sdk.is_some() && language.name != "rust" {
        let reason = "is for plugins in Rust; others need no more than passel.h";
        return Err((EXIT_USAGE, format!("--sdk {reason}")));
    }
    let sdk = dependency(sdk).map_err(|message| (EXIT_USAGE, message))?;
    let folder = Path::new(name);
    fs::create_dir(folder).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => (
            EXIT_USAGE,
            format!("{name} is here already: choose another name, or move it away"),
        ),
        _ => (
            EXIT_USAGE,
            format!("the folder {name} cannot be made: {error}"),
        ),
    })?;
    for (path, text) in SHARED.iter().chain(language.files) {
        let text = text
            .replace("{source}", language.source)
            .replace("{prepare}", language.prepare)
            .replace("{passel}", &program())
            .replace(SDK, &sdk)
            .replace(NAME, name)
            .replace(SYMBOL, &name.replace('-', "_"));
        let path = folder.join(path);
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        made.and_then(|()| fs::write(&path, text))
            .map_err(|error| {
                let path = path.display();
                (
                    EXIT_FAILED,
                    format!("{path} cannot be written: {error}; remove {name}"),
                )
            })?;
    }
    // Which has it not before passel is published.
    let help = match is_of_registry {
        true => {
            "\nIts Cargo.toml takes passel-sdk from the registry; --sdk plugins/sdk, in passel's sources, takes it from there.\n"
        }
        false => "",
    };
    Ok(format!(
        "Wrote {name}, whose selector is in {name}/{}. Build and test it:\n\n    cd {name} && make test\n{help}",
        language.source
    ))
}

/// Refuses what is no name of a plugin or of a selector.
fn check_name(name: &str) -> Result<(), String> {
    if !is_name(name) {
        return Err(format!(
            "`{name}` is no name of a plugin: a small letter, then small letters, digits, -"
        ));
    }
    if name == PASS {
        return Err(format!(
            "`{PASS}` is the name of passel's own method: choose another"
        ));
    }
    match name.strip_prefix("passel-") {
        Some(rest) => Err(format!(
            "the plugin of a library libpassel_… is called by what follows: leave out `passel-` of `{name}`, as in `{rest}`"
        )),
        None => Ok(()),
    }
}

/// What cargo refuses as the name of a package, beside the words of Rust: names of its own libraries, and of folders that it makes.
const OF_CARGO: [&str; 11] = [
    "alloc",
    "build",
    "core",
    "deps",
    "examples",
    "incremental",
    "proc-macro",
    "proc_macro",
    "std",
    "test",
    "passel-sdk",
];

const WORDS_OF_RUST: [&str; 52] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The most letters of a name in Fortran, of which the entry has some before the plugin's name.
const MOST_OF_FORTRAN: usize = 63 - "passel_plugin_".len();

/// Refuses a name by which a project in this language does not build.
fn check_builds(name: &str, language: &str) -> Result<(), String> {
    let reason = match language {
        "rust" if WORDS_OF_RUST.contains(&name) => "is a word of Rust",
        "rust" if OF_CARGO.contains(&name) => "is taken: cargo builds nothing of this name",
        "fortran" if name.len() > MOST_OF_FORTRAN => {
            "is too long: names of Fortran have 63 letters, and its entry is passel_plugin_NAME"
        }
        _ => return Ok(()),
    };
    Err(format!("`{name}` {reason}: choose another name"))
}

/// The dependency on the SDK: a folder, else passel's repository, else the registry.
fn dependency(sdk: Option<&Path>) -> Result<String, String> {
    let quoted = |text: &str| format!("{text:?}");
    let Some(folder) = sdk else {
        return Ok(match env!("CARGO_PKG_REPOSITORY") {
            "" => quoted(env!("CARGO_PKG_VERSION")),
            url => format!("{{ git = {} }}", quoted(url)),
        });
    };
    let manifest = folder.join("Cargo.toml");
    let is_sdk =
        fs::read_to_string(&manifest).is_ok_and(|text| text.contains("\nname = \"passel-sdk\"\n"));
    let whole = folder.canonicalize().ok().filter(|_| is_sdk);
    match whole.as_deref().and_then(Path::to_str) {
        Some(folder) => Ok(format!("{{ path = {} }}", quoted(folder))),
        None => Err(format!(
            "--sdk {}: that is not the folder of passel-sdk, plugins/sdk of passel's sources",
            folder.display()
        )),
    }
}

/// What `cargo install` is given to install passel.
fn program() -> String {
    match env!("CARGO_PKG_REPOSITORY") {
        "" => "passel".to_owned(),
        url => format!("--git {url} passel"),
    }
}
