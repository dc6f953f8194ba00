//! What a selector warns of: variables like identifiers, and tables with too few observations.

use super::{
    problems::Random,
    program::{csv, run, select},
    reference::Set,
    support::Folder,
};

const OWN: [&str; 2] = ["--response", "y"];

/// A class of two levels with variables of so many levels, and a row number.
fn fresh(n: usize, levels: &[usize]) -> Set {
    let mut random = Random::new(9);
    let y: Vec<u32> = (0..n).map(|row| (row % 2) as u32).collect();
    let column = |levels: &usize| (0..n).map(|_| random.below(*levels) as u32).collect();
    let mut columns: Vec<Vec<u32>> = levels.iter().map(column).collect();
    columns.push((0..n as u32).collect());
    Set { columns, y }
}

fn warnings(set: &Set, more: &[&str]) -> Vec<String> {
    let folder = Folder::new();
    folder.write("set.csv", &csv(set, 0));
    let top = set.columns.len() - usize::from(more.contains(&"--drop"));
    let json = select(&folder.path("set.csv"), "mim", top, more).json;
    let warnings = json["warnings"].as_array().unwrap().iter();
    warnings
        .map(|own| own.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn numbers_like_identifiers_are_warned_of_where_each_is_a_level() {
    let set = fresh(100, &[2, 3]);
    let told = warnings(&set, &OWN);
    assert!(
        told[0].contains("x2 has a level of its own in nearly each of 100 rows"),
        "{told:?}"
    );
    assert!(told[0].contains("--drop x2"), "{told:?}");
    let mut two = set.clone();
    two.columns
        .push((0..100).map(|row| row / 2 * 2 + row % 10 / 9).collect());
    two.columns.push((0..100).map(|row| row.max(5)).collect());
    let told = warnings(&two, &OWN);
    assert!(
        told[0].starts_with("x2, x4 have a level of their own"),
        "{told:?}"
    );
    // In bins it is a number like any other.
    assert_eq!(
        warnings(&set, &[&OWN[..], &["--drop", "x2"]].concat()),
        [""; 0]
    );
}

#[test]
fn whole_numbers_of_many_values_do_not_head_a_ranking_by_chance() {
    let folder = Folder::new();
    let mut random = Random::new(4);
    let mut text = String::from("age,dose,y\n");
    for row in 0..100_usize {
        let dose = random.below(1000) as f64 / 100.0;
        let noise = random.below(300) as f64 / 100.0;
        text += &format!(
            "{},{dose},{}\n",
            20 + (row * 37 + random.below(7)) % 51,
            dose + noise
        );
    }
    folder.write("d.csv", &text);
    let data = folder.path("d.csv");
    let file = data.to_str().unwrap();
    let select = [
        "select",
        file,
        "--method",
        "mim",
        "--format",
        "json",
        "--response",
        "y",
    ];
    let ran = run(&select);
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["selected"][0]["name"], "dose", "{}", ran.stdout);
    // Whoever wants them as levels is told what that does to the order.
    let ran = run(&[&select[..], &["--binning", "levels"]].concat());
    assert!(
        ran.stdout.contains("the order favours them"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("--correction miller-madow"),
        "{}",
        ran.stdout
    );
    let corrected = ["--binning", "levels", "--correction", "miller-madow"];
    let ran = run(&[&select[..], &corrected].concat());
    assert!(!ran.stdout.contains("(--correction"), "{}", ran.stdout);
    let pairs = ["pairs", file, "--response", "y", "--binning", "levels"];
    let told = run(&pairs).stdout;
    let expected = "too few observations for the levels of age, dose";
    assert!(
        told.contains(expected) && !told.contains("--correction"),
        "{told}"
    );
}

#[test]
fn tables_of_few_observations_a_cell_are_warned_of_in_every_report() {
    let mut set = fresh(120, &[2, 20]);
    set.columns.pop();
    let told = warnings(&set, &OWN);
    assert_eq!(told.len(), 1);
    assert!(
        told[0].starts_with("too few observations for the levels of x1: most cells"),
        "{told:?}"
    );
    let folder = Folder::new();
    folder.write("set.csv", &csv(&set, 0));
    let data = folder.path("set.csv");
    let file = data.to_str().unwrap();
    let json = select(&data, "mim", 2, &OWN).json;
    let shares = json["selected"].as_array().unwrap().iter();
    let shares: Vec<f64> = shares
        .map(|own| own["sparse_cells"].as_f64().unwrap())
        .collect();
    assert!(shares[0] > 0.5 && shares[1] == 0.0, "{shares:?}");
    for format in ["text", "html"] {
        let all = [
            "select",
            file,
            "--response",
            "y",
            "--method",
            "jmi",
            "--format",
            format,
        ];
        let told = run(&all).stdout;
        assert!(
            told.contains("most cells of the table with y expect fewer than 5"),
            "{told}"
        );
    }
    // Whom it was not chosen for it does not concern.
    let relief = run(&[
        "select",
        file,
        "--response",
        "y",
        "--method",
        "relief",
        "--top",
        "1",
        "--format",
        "json",
    ]);
    assert_eq!(relief.code, Some(0), "{}", relief.stderr);
    let enough = fresh(800, &[2, 20]);
    let more = [&OWN[..], &["--drop", "x2"]].concat();
    assert_eq!(warnings(&enough, &more), [""; 0]);
}
