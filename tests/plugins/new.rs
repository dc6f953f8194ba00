//! `passel plugins new`: projects that build and test a first selector at once, in every language whose compiler is there.

use std::{env, fs, io::ErrorKind, mem::offset_of, path::Path, process::Command};

use super::program::{Folder, Ran, ran};

/// Where the SDK is.
fn sdk() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("plugins/sdk").display().to_string()
}

fn new(folder: &Folder, name: &str, language: &str, more: &[&str]) -> Ran {
    let arguments = ["plugins", "new", name, "--language", language];
    folder.run(&[&arguments[..], more].concat())
}

/// Whether a command that says its version is there; a test that needs it is skipped where it is not, unless it must not be.
fn is_there(command: &str, arguments: &[&str], must: bool) -> bool {
    let run = Command::new(command).args(arguments).output();
    let there = match run {
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        run => run.unwrap().status.success(),
    };
    assert!(there || !must, "there is no {command}");
    if !there {
        eprintln!("skipped: there is no {command} {}", arguments.join(" "));
    }
    there
}

/// `make test` of a project, with this program.
fn make_test(folder: &Folder, name: &str) -> Ran {
    let mut make = Command::new("make");
    make.arg("test").current_dir(folder.path(name));
    make.env("PASSEL", env!("CARGO_BIN_EXE_passel"));
    make.env("XDG_DATA_HOME", folder.path("data-home"));
    make.env("CARGO_NET_OFFLINE", "true");
    // Not into the folder that this test was built in.
    make.env("CARGO_TARGET_DIR", folder.path("built"));
    ran(make)
}

/// A project builds and passes its own test, which fails where its score is another.
fn works(language: &str, more: &[&str], source: &str, [before, after]: [&str; 2]) {
    let folder = Folder::new();
    // Symbols have `_` for `-`, and words of languages are names as well.
    for name in ["first-one", "int"] {
        let told = new(&folder, name, language, more);
        assert_eq!(told.code, Some(0), "{}", told.stderr);
        assert!(told.stdout.contains(&format!("cd {name} && make test\n")));
        let made = make_test(&folder, name);
        assert_eq!(made.code, Some(0), "{}\n{}", made.stdout, made.stderr);
        let checked = format!("{name} 0.1.0: 3 checked, 0 failed\n");
        assert!(made.stdout.contains(&checked), "{}", made.stdout);
        let told = format!("ok      {name} chooses of data.csv what was worked by hand\n");
        assert!(made.stdout.ends_with(&told), "{}", made.stdout);
    }
    let path = folder.path(&format!("first-one/{source}"));
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(before), "{text}");
    fs::write(&path, text.replacen(before, after, 1)).unwrap();
    let made = make_test(&folder, "first-one");
    assert_ne!(made.code, Some(0), "{}", made.stdout);
}

#[test]
fn one_in_rust_works() {
    if is_there("make", &["--version"], false) {
        let other = ["default: 0.5", "default: 0.25"];
        works("rust", &["--sdk", &sdk()], "lib.rs", other);
    }
}

#[test]
fn one_in_c_works() {
    let must = env::var_os("PASSEL_REQUIRE_CC").is_some();
    if is_there("cc", &["--version"], must) && is_there("make", &["--version"], must) {
        let other = [".default_value = 0.5", ".default_value = 0.25"];
        works("c", &[], "selector.c", other);
    }
}

#[test]
fn one_in_cpp_works() {
    let must = env::var_os("PASSEL_REQUIRE_CC").is_some();
    if is_there("c++", &["--version"], must) && is_there("make", &["--version"], must) {
        let other = [".default_value = 0.5", ".default_value = 0.25"];
        works("cpp", &[], "selector.cpp", other);
    }
}

#[test]
fn one_in_python_works() {
    let has_cffi = ["-c", "import cffi, setuptools"];
    let header = "import sysconfig, os; os.stat(sysconfig.get_path('include') + '/Python.h')";
    if is_there("python3", &has_cffi, false)
        && is_there("python3", &["-c", header], false)
        && is_there("cc", &["--version"], false)
        && is_there("make", &["--version"], false)
    {
        let other = ["default_value=0.5", "default_value=0.25"];
        works("python", &[], "selector.py", other);
    }
}

#[test]
fn one_in_fortran_works() {
    if is_there("gfortran", &["--version"], false) && is_there("make", &["--version"], false) {
        let other = [
            "default_value = 0.5_c_double",
            "default_value = 0.25_c_double",
        ];
        works("fortran", &[], "selector.f90", other);
    }
}

/// Of each struct of the module the member that is the last, and where that begins in C.
const LAST_MEMBERS: [(&str, &str, usize); 8] = [
    (
        "passel_parameter",
        "most",
        offset_of!(passel_abi::passel_parameter, most),
    ),
    (
        "passel_method",
        "parameter_count",
        offset_of!(passel_abi::passel_method, parameter_count),
    ),
    (
        "passel_combination",
        "xwy",
        offset_of!(passel_abi::passel_combination, xwy),
    ),
    (
        "passel_quantity",
        "under",
        offset_of!(passel_abi::passel_quantity, under),
    ),
    (
        "passel_term",
        "part",
        offset_of!(passel_abi::passel_term, part),
    ),
    (
        "passel_score",
        "join",
        offset_of!(passel_abi::passel_score, join),
    ),
    (
        "passel_selector",
        "data",
        offset_of!(passel_abi::passel_selector, data),
    ),
    (
        "passel_plugin",
        "doi",
        offset_of!(passel_abi::passel_plugin, doi),
    ),
];

#[test]
fn structs_of_the_fortran_module_are_those_of_the_header() {
    let module = include_str!("../../plugins/template/fortran/passel.f90");
    let structs = module.matches("type, bind(c) :: ").count();
    assert_eq!(structs, LAST_MEMBERS.len());
    if !is_there("gfortran", &["--version"], false) {
        return;
    }
    let (mut declared, mut printed) = (String::new(), String::new());
    for (name, member, _) in LAST_MEMBERS {
        declared += &format!("  type({name}), target :: own_{name}\n");
        printed += &format!(
            "  print '(i0)', transfer(c_loc(own_{name}%{member}), 0_c_intptr_t) - transfer(c_loc(own_{name}), 0_c_intptr_t)\n"
        );
    }
    let folder = Folder::new();
    folder.write("passel.f90", module);
    let text =
        format!("program offsets\n  use passel\n  implicit none\n{declared}{printed}end program\n");
    folder.write("offsets.f90", &text);
    let built = ran(folder
        .shell("gfortran -ffree-line-length-none passel.f90 offsets.f90 -o offsets && ./offsets"));
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let offsets = built.stdout.lines().map(|line| line.parse().unwrap());
    let offsets: Vec<usize> = offsets.collect();
    let expected = LAST_MEMBERS.map(|(.., offset)| offset);
    assert_eq!(offsets, expected);
}

#[test]
fn a_name_that_does_not_build_is_refused() {
    let folder = Folder::new();
    let long = "a".repeat(50);
    for (name, language, reason) in [
        ("std", "rust", "cargo builds nothing of this name"),
        ("match", "rust", "is a word of Rust"),
        (&*long, "fortran", "names of Fortran have 63 letters"),
    ] {
        let told = new(&folder, name, language, &[]);
        assert_eq!(told.code, Some(2), "{name}: {}", told.stdout);
        assert!(told.stderr.contains(reason), "{name}: {}", told.stderr);
    }
    assert_eq!(new(&folder, "match", "c", &[]).code, Some(0));
}

#[test]
fn a_project_in_rust_without_the_sdk_says_where_that_is() {
    let folder = Folder::new();
    let told = new(&folder, "mine", "rust", &[]);
    let help = "takes passel-sdk from the registry; --sdk plugins/sdk, in passel's sources";
    let is_of_registry = option_env!("CARGO_PKG_REPOSITORY").is_none_or(str::is_empty);
    assert_eq!(
        told.stdout.contains(help),
        is_of_registry,
        "{}",
        told.stdout
    );
    let with_sdk = new(&folder, "other", "rust", &["--sdk", &sdk()]);
    assert!(!with_sdk.stdout.contains(help), "{}", with_sdk.stdout);
}

#[test]
fn a_project_has_what_a_repository_needs() {
    let folder = Folder::new();
    for (language, source) in [
        ("rust", "lib.rs"),
        ("c", "selector.c"),
        ("cpp", "selector.cpp"),
        ("python", "selector.py"),
        ("fortran", "selector.f90"),
    ] {
        let name = format!("of-{language}");
        assert_eq!(new(&folder, &name, language, &[]).code, Some(0));
        let read = |file: &str| folder.read(&format!("{name}/{file}"));
        assert!(read("LICENSE").contains(&format!("the authors of {name}\n")));
        assert!(read(".gitignore").contains("*.so\n"));
        assert!(read(".github/workflows/test.yml").contains("- run: make test\n"));
        assert!(read("README.md").contains(&format!("The score is in `{source}`")));
        for file in ["README.md", ".github/workflows/test.yml", "test.sh", source] {
            let text = read(file);
            let is_whole = !["my-score", "my_score", "{passel}", "{prepare}", "{source}"]
                .iter()
                .any(|open| text.contains(open));
            assert!(is_whole, "{language}, {file}: {text}");
        }
    }
    // By the registry, where passel's repository is not known.
    let manifest = folder.read("of-rust/Cargo.toml");
    let line = match option_env!("CARGO_PKG_REPOSITORY") {
        None | Some("") => format!("passel-sdk = \"{}\"\n", env!("CARGO_PKG_VERSION")),
        Some(url) => format!("passel-sdk = {{ git = \"{url}\" }}\n"),
    };
    assert!(manifest.ends_with(&line), "{manifest}");
}

#[test]
fn what_makes_no_project_is_one_error() {
    let folder = Folder::new();
    folder.write("taken", "");
    for (name, language, more, reason) in [
        (
            "taken",
            "c",
            &[][..],
            "taken is here already: choose another name, or move it away",
        ),
        (
            "Mine",
            "c",
            &[],
            "`Mine` is no name of a plugin: a small letter, then small letters, digits, -",
        ),
        ("../mine", "c", &[], "`../mine` is no name of a plugin: "),
        ("my_score", "c", &[], "`my_score` is no name of a plugin: "),
        ("", "c", &[], "`` is no name of a plugin: "),
        (
            "pass",
            "c",
            &[],
            "`pass` is the name of passel's own method: choose another",
        ),
        (
            "passel-mine",
            "c",
            &[],
            "leave out `passel-` of `passel-mine`, as in `mine`",
        ),
        ("mine", "c", &["--sdk", "."], "--sdk is for plugins in Rust"),
        (
            "mine",
            "rust",
            &["--sdk", "nowhere"],
            "--sdk nowhere: that is not the folder of passel-sdk",
        ),
    ] {
        let told = new(&folder, name, language, more);
        assert_eq!((told.code, told.stdout.as_str()), (Some(2), ""), "{name}");
        assert_eq!(told.stderr.lines().count(), 1, "{}", told.stderr);
        let is_told = told.stderr.starts_with("error: ") && told.stderr.contains(reason);
        assert!(is_told, "{name}: {}", told.stderr);
    }
    let told = new(&folder, "mine", "cobol", &[]);
    assert_eq!(told.code, Some(2));
    assert!(
        told.stderr
            .contains("[possible values: rust, c, cpp, python, fortran]"),
        "{}",
        told.stderr
    );
    assert_eq!(folder.names(), ["data.csv", "taken"]);
}
