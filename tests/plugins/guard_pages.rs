//! What `passel plugins --check` finds by guard pages: who reads behind what he was lent, or once the call is over.

use super::{built, c_runs, families::c_family, program::Folder};

/// A check of a library, whose process is at fault in this call of the plugin.
#[track_caller]
fn assert_fault(folder: &Folder, library: &str, called: &str, defined: &str) {
    let ran = folder.run(&["plugins", "--check", library]);
    assert_eq!(ran.code, Some(1), "{defined}: {}{}", ran.stdout, ran.stderr);
    for told in [
        called,
        "the check did not come to its end: its process ",
        "\nhelp: what plugins are lent ends where a page does, and none of it can be touched once the call is over\n",
    ] {
        assert!(ran.stderr.contains(told), "{defined}: {}", ran.stderr);
    }
}

fn lent(folder: &Folder, defined: &[&str]) -> Option<()> {
    built(&folder.path(""), "tests/plugins/lent.c", "lent", defined).map(drop)
}

#[test]
fn a_plugin_that_keeps_to_what_it_is_lent_is_checked_to_the_end() {
    let folder = Folder::new();
    let Some(()) = lent(&folder, &[]) else { return };
    let ran = folder.run(&["plugins", "--check", "liblent.so"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("lent 1: 6 checked, 0 failed\n"),
        "{}",
        ran.stdout
    );
}

#[cfg(unix)]
#[test]
fn what_is_read_behind_the_end_or_after_the_call_is_told() {
    let folder = Folder::new();
    for (defined, called) in [
        (
            "BODY=READ(table->counts + table->x * table->w * table->y)",
            "plugin lent, of-table",
        ),
        ("BODY=READ(values + count)", "plugin lent, of-table"),
        ("BODY=READ(table + 1)", "plugin lent, of-table"),
        // From the call before.
        (
            "BODY=if (kept) READ(kept); kept = table->counts",
            "plugin lent, of-table",
        ),
        (
            "BODY=if (kept) READ(kept); kept = values",
            "plugin lent, of-table",
        ),
        (
            "DECLARED=READ(score->terms + PASSEL_TERMS)",
            "plugin lent, of-terms",
        ),
        ("DECLARED=READ(values + 1)", "plugin lent, of-terms"),
        ("DECLARED=READ(error + error_size)", "plugin lent, of-terms"),
    ] {
        let Some(()) = lent(&folder, &[defined]) else {
            return;
        };
        assert_fault(&folder, "liblent.so", called, defined);
        // Where it does no harm nobody is in its way.
        let ran = folder.run(&["plugins", "--plugins", "liblent.so"]);
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
}

#[cfg(unix)]
#[test]
fn criteria_and_families_are_lent_as_much() {
    let folder = Folder::new();
    let defined = "CRITERION=(*(const volatile double *)(values + 1), n * log(rss / n) + k)";
    let Some(_) = c_runs(&folder.path(""), &[defined]) else {
        return;
    };
    assert_fault(&folder, "libruns.so", "plugin runs, c-price", defined);
    for defined in [
        "VARIANCE=(*(const volatile double *)(means + count), m)",
        "SATURATED=(*(const volatile double *)(logs + count), y * 0)",
    ] {
        c_family(&folder, &[defined]).unwrap();
        assert_fault(
            &folder,
            "libfamilies.so",
            "plugin families, c-counts",
            defined,
        );
    }
}
