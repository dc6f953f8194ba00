//! The example that makes figures, called as its command calls it.

#![allow(clippy::unwrap_used)]

#[path = "../examples/figures/main.rs"]
#[expect(dead_code, reason = "an example's own main")]
mod figures;
#[path = "support/program.rs"]
mod support;

use std::collections::BTreeSet;

use support::Folder;

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
        assert!(open.first().is_none_or(|it| *it == "svg"), "{open:?}");
        let after = &after[if comment { 3 } else { 1 }..];
        let text = after.find('<').unwrap_or(after.len());
        assert!(text == 0 || !open.is_empty());
        for entity in after[..text].split('&').skip(1) {
            let known = ["amp;", "lt;", "gt;", "quot;"];
            assert!(known.iter().any(|it| entity.starts_with(it)), "{entity}");
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
fn arguments_that_ask_for_nothing_are_refused() {
    for arguments in [&["criterion", "a.csv"][..], &["lines", "a.csv", "b.svg"]] {
        assert!(figures::figures(arguments).is_err());
    }
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
        let walks: BTreeSet<&str> = trace
            .lines()
            .filter(|line| line.contains(",walk,"))
            .map(|line| line.split(',').nth(1).unwrap())
            .collect();
        assert_eq!(walks.is_empty(), !more.is_empty());
        let svg = figures(&folder, "criterion", "trace.csv").unwrap();
        assert_eq!(lines(&svg), particles + walks.len() + 1);
        assert!(svg.contains("1 &lt; 2 &amp; more"), "the title");
    }
}

#[test]
fn rates_are_drawn_from_reports_one_after_the_other() {
    let folder = Folder::new();
    folder.write(
        "marked.csv",
        &format!("# passel truth a,b\n{}", support::table(60)),
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
        &format!("# passel truth a\n{}", support::table(60)),
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
