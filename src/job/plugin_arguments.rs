//! The arguments of `passel plugins` and of its commands.

use clap::{Arg, ArgAction, Command, builder::ValueParser};

/// The languages that `plugins new` writes projects in.
const LANGUAGES: [&str; 5] = ["rust", "c", "cpp", "python", "fortran"];

const PLACES: &str = "\
Plugins are looked for in this order, and a name means what the first brings that
has it: the libraries named with --plugins; the folders of PASSEL_PLUGIN_PATH;
beside the program; those that are part of it; the user's folder
($XDG_DATA_HOME or ~/.local/share)/passel/plugins/CONTRACT/PLATFORM; the
system's, /usr/local/lib/passel/plugins/… and /usr/lib/passel/plugins/….";

const INSTALL_EXAMPLE: &str = "\
Example:
  passel plugins install libmine.so
  passel select houses.csv --response price --method mine

  Copies the library into the user's folder, where it is found from then on, with a
  manifest, libmine.json. The library is loaded by another process first. Archives are
  .zip, .whl and .tar.gz; files are not fetched from elsewhere.";

const NEW_EXAMPLE: &str = "\
Example:
  passel plugins new mine --language c
  cd mine && make test

  Writes a folder with a selector, a test of a number worked by hand, a licence
  and a workflow for continuous integration.";

/// The arguments of `plugins` that only it has, and its commands.
pub(super) fn plugin_commands(plugins: Command) -> Command {
    let flag = |name, help| {
        Arg::new(name)
            .long(name)
            .action(ArgAction::SetTrue)
            .help(help)
    };
    let path = |name, value| {
        let argument = Arg::new(name).value_name(value).required(true);
        argument.value_parser(ValueParser::path_buf())
    };
    let name = |help| {
        Arg::new("name")
            .value_name("NAME")
            .required(true)
            .help(help)
    };
    let form = Arg::new("format").long("format").value_name("FORM");
    let form = form.value_parser(["text", "json"]).default_value("text");
    let check = path("check", "LIBRARY").long("check").required(false);
    let install = Command::new("install")
        .about("Install a plugin for this user, of a library or an archive that holds some")
        .arg(path("file", "FILE").help("A shared library, or an archive: .zip, .whl, .tar.gz"))
        .arg(flag(
            "force",
            "Replace a plugin of this name that is installed",
        ))
        .after_help(INSTALL_EXAMPLE);
    let remove = Command::new("remove")
        .about("Remove a plugin that was installed for this user")
        .arg(name("The name of the plugin"));
    let list = Command::new("list")
        .about("List the plugins that are installed, by their manifests: no library is loaded")
        .arg(form.help("Form of the list"));
    let language = Arg::new("language").long("language").value_name("LANGUAGE");
    let sdk = path("sdk", "FOLDER").long("sdk").required(false);
    let new = Command::new("new")
        .about("Write a project for a plugin into a new folder, which builds and tests a first selector")
        .arg(name("The name of the plugin, its selector and the folder: a small letter, then small letters, digits, -"))
        .arg(language.required(true).value_parser(LANGUAGES).help("The language of the plugin"))
        .arg(sdk.help("Rust: take passel-sdk from this folder, plugins/sdk of passel's sources"))
        .after_help(NEW_EXAMPLE);
    plugins
        .arg(flag(
            "cuda",
            "Compile what they bring in CUDA C, scores and families, and, if there is a GPU, compare it with their functions for the CPU",
        ))
        .arg(
            check
                .conflicts_with_all(["cuda", "format", "plugins"])
                .help("Check a library, in a process of its own: that what it brings is the same again and by several threads, of tables and models of any kind, with guard pages behind what it is lent, and in CUDA C where there is a GPU; exit code 1 where something fails"),
        )
        .arg(
            Arg::new("with")
                .long("with")
                .value_name("NAME:PARAMETER=VALUE,…")
                .action(ArgAction::Append)
                .requires("check")
                .help("Check a method, score, criterion or family of the library with these values of parameters: of files, which have no default"),
        )
        .arg(path("here", "STEPS").long("here").required(false).requires("check").hide(true))
        .arg(flag("alone", "Load no library but those named").requires("plugins").hide(true))
        .subcommands([install, remove, list, new])
        .args_conflicts_with_subcommands(true)
        .after_help(PLACES)
}
