//! The examples that make tables and figures, called as their commands call them.

// Both draw, and each example is a program of its own.
#[path = "../../examples/figures/main.rs"]
#[expect(dead_code, reason = "an example's own main")]
mod figures;
#[path = "../../examples/paper_tables/main.rs"]
#[expect(dead_code, reason = "an example's own main")]
mod paper_tables;

use std::collections::BTreeSet;

use crate::support::Folder;

fn figures(folder: &Folder, what: &str, from: &str) -> Result<String, String> {
    let [from, to] = [from, "out.svg"].map(|name| folder.path(name));
    let [from, to] = [&from, &to].map(|path| path.to_str().unwrap());
    let drawn = figures::figures(&[what, from, to, "1 < 2 & more"]);
    drawn.map_err(|error| error.to_string())?;
    Ok(folder.read("out.svg"))
}

/// Every tag is closed in its turn, every attribute in quotes, and nothing but one `svg`.
fn assert_well_formed(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = svg.trim_end();
    while let Some(tag) = rest.strip_prefix('<') {
        let comment = tag.starts_with("!--");
        let end = tag.find(if comment { "-->" } else { ">" }).unwrap();
        let (inside, after) = tag.split_at(end);
        if let Some(name) = inside.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !comment {
            assert_eq!(inside.matches('"').count() % 2, 0, "{inside}");
            if !inside.ends_with('/') {
                open.push(inside.split(' ').next().unwrap());
            }
            assert!(!inside.contains("NaN"), "{inside}");
        }
        assert!(open.first().is_none_or(|tag| *tag == "svg"), "{open:?}");
        let after = &after[if comment { 3 } else { 1 }..];
        let text = after.find('<').unwrap_or(after.len());
        assert!(text == 0 || !open.is_empty());
        for entity in after[..text].split('&').skip(1) {
            let known = ["amp;", "lt;", "gt;", "quot;"];
            assert!(
                known.iter().any(|name| entity.starts_with(name)),
                "{entity}"
            );
        }
        rest = &after[text..];
    }
    assert!(rest.is_empty() && open.is_empty(), "{open:?} {rest}");
}

/// Lines of the plot: kuva makes each a path.
fn lines(svg: &str) -> usize {
    assert_well_formed(svg);
    svg.matches("<path ").count()
}

#[test]
fn the_papers_tables_have_every_row() {
    let mut out = Vec::new();
    paper_tables::paper(&["--runs", "1"], &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    let tables: Vec<&str> = out.split("### Table ").skip(1).collect();
    for ((table, title, rows), text) in [
        ("II", "Ing and Lai, 400 × 4000, HDBIC", 9 + 14),
        ("III", "Chen and Chen, 200 × 50, EBIC, gamma = 1", 10 + 10),
        ("IV", "Hung 1-1, 200 × 1225, HDHQC", 10 + 10),
    ]
    .into_iter()
    .zip(&tables)
    {
        let (heading, text) = text.split_once('\n').unwrap();
        assert!(heading.starts_with(&format!("{table}: ")), "{heading}");
        assert!(heading.ends_with(title), "{heading}");
        let lines = text.lines().filter(|line| line.starts_with('|'));
        let (mut found, mut heads) = (0, 0);
        for line in lines {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            assert_eq!(cells.len(), 9, "{line}");
            if cells[0].starts_with(['0', '.']) {
                found += 1;
                // Mean and deviation as the paper prints them; one run has no deviation.
                assert!(cells[3].ends_with(" (0.000000)"), "{line}");
                assert!(["0", "1"].contains(&cells[5]), "{line}");
                // The defaults find the best model of each set.
                assert_eq!(cells[8], "1", "{line}");
            } else {
                heads += 1;
            }
        }
        assert_eq!((found, heads), (rows, 4), "{table}");
    }
    assert_eq!(tables.len(), 3);
    // One row in full, but for what one run gives.
    let row = "| 0 .8 .2, .4 .6 | 0.999600 (0.012649) | 0.004083 (0.030393) | ";
    assert!(tables[2].contains(row), "{}", tables[2]);
}

#[test]
fn arguments_that_ask_for_nothing_are_refused() {
    for arguments in [&["--runs"][..], &["--runs", "0"], &["--figure", "x"]] {
        assert!(paper_tables::paper(arguments, &mut Vec::new()).is_err());
    }
    for arguments in [&["criterion", "a.csv"][..], &["lines", "a.csv", "b.svg"]] {
        assert!(figures::figures(arguments).is_err());
    }
}

#[test]
fn the_papers_figures_are_drawn() {
    let folder = Folder::new();
    let place = folder.path("made/here");
    let arguments = ["--runs", "2", "--figures", place.to_str().unwrap()];
    paper_tables::paper(&arguments, &mut Vec::new()).unwrap();
    // Mean and deviation of two rates.
    assert_eq!(lines(&folder.read("made/here/figure_3.svg")), 4);
    // 16 particles and the best.
    assert_eq!(lines(&folder.read("made/here/figure_5.svg")), 17);
}

#[test]
fn a_trace_is_drawn_with_a_line_for_each_particle() {
    for (more, particles) in [(&["--no-polish"][..], 5), (&[], 5), (&[], 1)] {
        let folder = Folder::new();
        let count = particles.to_string();
        let mut arguments = vec!["select", "data.csv", "--response", "y"];
        arguments.extend(["--trace", "trace.csv", "--particles", &count]);
        arguments.extend(more);
        assert_eq!(folder.run(&arguments).code, Some(0));
        let trace = folder.read("trace.csv");
        let rows = trace.lines().filter(|line| line.contains(",walk,"));
        let islands: Vec<&str> = rows.map(|row| row.split(',').nth(1).unwrap()).collect();
        assert_eq!(islands.is_empty(), !more.is_empty());
        let walks: BTreeSet<&str> = islands.iter().copied().collect();
        // The point of a single wave is no line.
        let lines_of_walks = if islands.len() > walks.len() {
            walks.len()
        } else {
            0
        };
        let svg = figures(&folder, "criterion", "trace.csv").unwrap();
        assert_eq!(lines(&svg), particles + lines_of_walks + 1);
        assert!(svg.contains("1 &lt; 2 &amp; more"), "the title");
    }
}

#[test]
fn rates_are_drawn_from_reports_one_after_the_other() {
    let folder = Folder::new();
    folder.write(
        "marked.csv",
        &format!("# passel truth a,b\n{}", crate::support::table(60)),
    );
    let mut reports = String::new();
    for particles in ["1", "3", "8"] {
        for seed in ["1", "2"] {
            let arguments = [
                "select",
                "marked.csv",
                "--response",
                "y",
                "--format",
                "json",
            ];
            let own = ["--particles", particles, "--seed", seed];
            reports += &folder.run(&[&arguments[..], &own].concat()).stdout;
        }
    }
    folder.write("reports.json", &reports);
    let svg = figures(&folder, "particles", "reports.json").unwrap();
    assert_eq!(lines(&svg), 4);
    for word in ["PSR, mean", "FDR, standard deviation"] {
        assert!(svg.contains(&format!(">{word}<")), "{word}");
    }
    // 1, 3 and 8 particles: a tick at each power of two.
    for tick in ["1", "2", "4", "8"] {
        assert!(svg.contains(&format!(">{tick}<")), "{tick}");
    }
}

#[test]
fn other_files_are_told_by_name() {
    let folder = Folder::new();
    const HEADER: &str = "iteration,particle,move,variable,size,criterion,best\n";
    folder.write("empty.csv", HEADER);
    folder.write("start.csv", &format!("{HEADER}1,0,start,a,1,-2.5,-2.5\n"));
    folder.write(
        "marked.csv",
        &format!("# passel truth a\n{}", crate::support::table(60)),
    );
    for (data, report) in [("data.csv", "unmarked.json"), ("marked.csv", "marked.json")] {
        let arguments = ["select", data, "--response", "y", "--format", "json"];
        folder.write(report, &folder.run(&arguments).stdout);
    }
    for (what, file, word) in [
        ("criterion", "data.csv", "iteration"),
        ("criterion", "empty.csv", "no row of a particle"),
        ("criterion", "start.csv", "two iterations"),
        ("criterion", "absent.csv", "No such file"),
        ("particles", "unmarked.json", "without truth"),
        ("particles", "marked.json", "two numbers of particles"),
        ("particles", "data.csv", "expected value"),
    ] {
        let error = figures(&folder, what, file).unwrap_err();
        assert!(error.contains(file) && error.contains(word), "{error}");
    }
}
