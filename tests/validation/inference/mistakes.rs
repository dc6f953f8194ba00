//! What inference does not go with, and how it is shown.

use super::table;
use crate::support::Folder;

#[test]
fn what_it_does_not_go_with_is_refused() {
    let folder = Folder::new();
    folder.write("data.csv", &table(60, 4, 1));
    for (arguments, parts) in [
        (&["--infer", "splits"][..], &["infer", "split"][..]),
        (
            &["--infer", "split:splits=0"],
            &["infer", "split:splits=50"],
        ),
        (
            &["--infer", "bootstrap:resamples=10"],
            &["infer", "resamples"],
        ),
        (
            &["--infer", "split", "--checkpoint", "c"],
            &["checkpoint and infer exclude each other"],
        ),
        (
            &["--infer", "split", "--method", "jmi"],
            &["infer", "regressions"],
        ),
    ] {
        let mut all = vec!["select", "data.csv", "--response", "y"];
        all.extend(arguments);
        let ran = folder.run(&all);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.stderr);
        assert!(
            parts.iter().all(|part| ran.stderr.contains(part)),
            "{arguments:?}: {}",
            ran.stderr
        );
    }
}

#[test]
fn text_and_page_have_it() {
    let folder = Folder::new();
    folder.write("data.csv", &table(60, 4, 2));
    for (how, words) in [
        ("split:splits=5", ["one half chooses", "FDR", "Meinshausen"]),
        (
            "bootstrap:resamples=60",
            ["chooses anew", "plain", "level is approximate"],
        ),
    ] {
        let arguments = [
            "select",
            "data.csv",
            "--response",
            "y",
            "--drop",
            "g",
            "--infer",
            how,
        ];
        let ran = folder.run(&arguments);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(
            words.iter().all(|word| ran.stdout.contains(word)),
            "{}",
            ran.stdout
        );
        let mut page = arguments.to_vec();
        page.extend(["--format", "html"]);
        let page = folder.run(&page).stdout;
        let all = [
            "The choice included",
            "Intervals that ignore the choice",
            "as selected",
        ];
        assert!(all.iter().all(|word| page.contains(word)), "{how}");
    }
}
