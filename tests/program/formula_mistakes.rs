//! Mistakes in formulas, and what is doubtful about them.

use crate::{
    formulas::{LEVELS, folder, refused, rows, select, select_from},
    support::Folder,
};

#[test]
fn mistakes_show_their_place() {
    let folder = folder();
    let told = refused(&folder, &["select", "d.csv", "--formula", "y ~ g * (x"]);
    assert_eq!(
        told,
        "error: formula: this parenthesis does not close; write `)` where it ends\n  y ~ g * (x\n          ^\n"
    );
    let told = refused(&folder, &["select", "d.csv", "--formula", "y ~ g * xx"]);
    assert!(
        told.contains("`xx`") && told.ends_with("\n  y ~ g * xx\n          ^^\n"),
        "{told}"
    );
    let formula = "y ~ (g + x)^2";
    for (more, parts) in [
        (&["--response", "y"][..], &["response", "formula"][..]),
        (&["--degree", "2"], &["degree", "I(a^2)"]),
        (&["--interactions-of", "g"], &["interactions-of"]),
        (&["--no-intercept"], &["- 1"]),
        (&["--split"], &["split"]),
        (
            &["--keep", "g:xx"],
            &["--keep", "`g:xx`", "did you mean `g:x`"],
        ),
        (
            &["--contrasts", "sums"],
            &["contrasts", "did you mean `sum`"],
        ),
        (&["--contrasts", "z=sum"], &["z"]),
        (&["--reference", "g=none"], &["none"]),
        (&["--drop", "nix"], &["--drop", "nix"]),
        (
            &["--method", "jmi"],
            &["formula has no effect with the method jmi"],
        ),
        (&["--hierarchy", "some"], &["hierarchy", "strong"]),
        (&["--drop", "x"], &["`x`", "--drop leaves out"]),
        (&["--weights", "x"], &["`x`", "--weights takes"]),
    ] {
        let arguments = [&["select", "d.csv", "--formula", formula][..], more].concat();
        let told = refused(&folder, &arguments);
        assert!(
            parts.iter().all(|part| told.contains(part)),
            "{more:?}: {told}"
        );
        assert_eq!(told.matches("error:").count(), 1, "{told}");
    }
    let told = refused(&folder, &["select", "d.csv", "--formula", "~ g + x"]);
    assert!(told.contains("no response"), "{told}");
    // A term too many, a factor that is one level, one that names its rows, and a cell that is empty.
    let told = refused(
        &folder,
        &[
            "select",
            "d.csv",
            "--formula",
            "y ~ (g + x + z + sex + w)^2 + nothing",
        ],
    );
    assert!(told.contains("`nothing`"), "{told}");
    let rows = rows(LEVELS, ["f", "f"]);
    folder.write("one.csv", &rows);
    let told = refused(&folder, &["select", "one.csv", "--formula", "y ~ sex * x"]);
    assert!(told.contains("`sex`") && told.contains("level"), "{told}");
    let numbered = rows.lines().enumerate().map(|(at, line)| match at {
        0 => format!("{line},id\n"),
        at => format!("{line},p{at}\n"),
    });
    folder.write("ids.csv", &numbered.collect::<String>());
    let told = refused(&folder, &["select", "ids.csv", "--formula", "y ~ x + id"]);
    assert!(told.contains("`id`") && told.contains("each"), "{told}");
    folder.write("gap.csv", &rows.replacen(",low,", ",,", 1));
    let told = refused(&folder, &["select", "gap.csv", "--formula", "y ~ g + x"]);
    assert!(
        told.contains("missing") && told.contains("drop-rows"),
        "{told}"
    );
    let fine = select_from(&folder, "gap.csv", &["--formula", "y ~ x + z"]);
    assert_eq!(fine["n"], 90);
    let fewer = select_from(
        &folder,
        "gap.csv",
        &["--formula", "y ~ g + x", "--missing", "drop-rows"],
    );
    assert_eq!(fewer["n"], 89);
}

#[test]
fn a_formula_of_too_many_terms_is_refused_at_once() {
    let folder = Folder::new();
    let names: Vec<String> = (0..1500).map(|at| format!("v{at}")).collect();
    let mut text = format!("y,{}\n", names.join(","));
    for row in 0..12_u32 {
        let values: Vec<String> = (0..1500_u32)
            .map(|at| (row * (at + 3) % 17).to_string())
            .collect();
        text += &format!("{row},{}\n", values.join(","));
    }
    folder.write("wide.csv", &text);
    let told = refused(
        &folder,
        &[
            "select",
            "wide.csv",
            "--formula",
            "y ~ .^2",
            "--hierarchy",
            "none",
        ],
    );
    assert!(
        told.contains("250,000") || told.contains("250000"),
        "{told}"
    );
}

#[test]
fn what_depends_on_the_coding_is_warned_of() {
    let folder = folder();
    let warnings = |more: &[&str]| {
        let json = select(&folder, more);
        json["warnings"].to_string()
    };
    let loose = ["--formula", "y ~ (g + x)^2", "--hierarchy", "none"];
    assert!(warnings(&loose).contains("interactions have sum contrasts here"));
    assert!(!warnings(&loose[..2]).contains("contrasts"));
    assert!(
        !warnings(&["--formula", "y ~ (z + x)^2", "--hierarchy", "none"]).contains("contrasts")
    );
    assert!(warnings(&["--formula", "y ~ 0 + g + sex"]).contains("the order of factors"));
    assert!(!warnings(&["--formula", "y ~ 0 + g + x"]).contains("the order of factors"));
}

#[test]
fn a_term_that_no_model_has_room_for_costs_no_time_and_is_named() {
    let folder = Folder::new();
    let mut text = String::from("y,g,x,z\n");
    for row in 0..360_u32 {
        let (x, z) = (f64::from(row * 7 % 31), f64::from(row * 11 % 29));
        text += &format!(
            "{},level{},{x},{z}\n",
            x + f64::from(row * 13 % 17) / 4.0,
            row % 180
        );
    }
    folder.write("wide.csv", &text);
    let ran = folder.run(&["select", "wide.csv", "--response", "y", "--timeout", "60"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(
        ran.stdout
            .contains("warning: no model has room for g, of more than "),
        "{}",
        ran.stdout
    );
}
