//! ARCHITECTURE.md says what is there: every path exists, every room has a place in the map, and the
//! verbs of a device are those of its trait.

use std::{fs, path::Path};

use crate::{graph::rooms, root};

fn page() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap()
}

/// What stands between backticks in a text.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Whether a text between backticks is a path of this repository.
fn is_path(text: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let ends = [".rs", ".cu", ".cuh", ".h", ".md", ".toml"];
    let is_file = ends
        .iter()
        .any(|end| text.ends_with(end) && text.len() > end.len());
    // Not a path of a user's machine, nor a type of file.
    text.chars().all(plain) && !text.starts_with(['/', '.']) && (is_file || text.ends_with('/'))
}

/// The part of the page under a heading, up to the next of its level.
fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("\n## {heading}\n")).unwrap();
    rest.split("\n## ").next().unwrap()
}

/// The cells of a table's rows, without its head.
fn rows(text: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = text.lines().filter(|line| line.starts_with("| "));
    lines
        .skip(2)
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
}

fn exists_below(folder: &Path, path: &str) -> bool {
    folder.join(path).exists()
        || fs::read_dir(folder).is_ok_and(|entries| {
            entries.flatten().any(|entry| {
                let hidden = ["target", ".git"]
                    .iter()
                    .any(|name| entry.file_name() == *name);
                entry.path().is_dir() && !hidden && exists_below(&entry.path(), path)
            })
        })
}

#[test]
fn the_map_leads_to_files_that_are_there() {
    let page = page();
    for row in rows(section(&page, "Map")) {
        let places: Vec<&str> = quoted(row[0]).collect();
        assert!(!places.is_empty(), "{row:?}");
        for place in &places {
            assert!(root().join(place).exists(), "{place} is not there");
        }
        for path in quoted(row[1]).filter(|text| is_path(text)) {
            let is_near = places
                .iter()
                .any(|place| exists_below(&root().join(place), path));
            assert!(
                is_near || root().join(path).exists(),
                "{path}, of {places:?}, is not there"
            );
        }
    }
}

#[test]
fn every_path_of_the_page_is_there() {
    let page = page();
    for path in quoted(&page).filter(|text| is_path(text)) {
        assert!(exists_below(&root(), path), "{path} is not there");
    }
}

#[test]
fn every_room_is_on_the_map() {
    let page = page();
    let map = section(&page, "Map");
    for room in rooms() {
        let named = [format!("`src/{room}/`"), format!("`src/{room}.rs`")];
        assert!(named.iter().any(|name| map.contains(name)), "{room}");
    }
}

#[test]
fn the_verbs_of_a_device_are_those_of_its_trait() {
    let source = fs::read_to_string(root().join("src/device/mod.rs")).unwrap();
    let (_, body) = source.split_once("trait Device: ").unwrap();
    let body = body.split("\n}\n").next().unwrap();
    let mut verbs: Vec<&str> = body
        .lines()
        .filter_map(|line| line.strip_prefix("    fn ")?.split('(').next())
        .collect();
    verbs.sort_unstable();
    let page = page();
    let mut listed: Vec<&str> = rows(section(&page, "Devices"))
        .flat_map(|row| quoted(row[0]).collect::<Vec<_>>())
        .collect();
    listed.sort_unstable();
    assert_eq!(listed, verbs);
}
