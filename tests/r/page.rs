//! `docs/from-r-and-sas.md`, run as it stands: its R blocks in one session, its commands between them.

use std::{env, fs, path::Path, process::Command};

use crate::{NEEDS, root, support::Folder};

/// The blocks of a page in R and shell, in order, as one R script.
fn script(page: &str) -> String {
    let mut script = String::new();
    let mut blocks = page.split("```").skip(1).step_by(2);
    let mut commands = 0;
    for block in &mut blocks {
        let (language, text) = block.split_once('\n').unwrap();
        match language {
            "r" => script += text,
            "sh" => {
                commands += text.lines().count();
                assert!(!text.contains(['"', '\\']), "a command in quotes: {text}");
                script += &format!("stopifnot(system(\"set -eu\n{text}\") == 0)\n");
            }
            other => panic!("a block of `{other}`"),
        }
    }
    assert!(
        commands >= 8,
        "{commands} commands: are the blocks still marked?"
    );
    script
}

#[test]
#[ignore = "needs R with leaps, glmnet and jsonlite"]
fn the_page_for_users_of_r_runs() {
    let page = fs::read_to_string(root().join("docs/from-r-and-sas.md")).unwrap();
    let folder = Folder::new();
    folder.write("page.R", &script(&page));
    let program = Path::new(env!("CARGO_BIN_EXE_passel")).parent().unwrap();
    let mut path = vec![program.to_owned()];
    path.extend(env::split_paths(&env::var_os("PATH").unwrap()));
    let mut command = Command::new("Rscript");
    command.arg("page.R").current_dir(folder.path("."));
    command.env("PATH", env::join_paths(path).unwrap());
    let output = command.output().expect(NEEDS);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}\n{stderr}\n{NEEDS}");
}
