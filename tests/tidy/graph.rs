//! Who imports whom, computed from the sources: rooms import from rooms declared before them in
//! `lib.rs`, and the files of no folder depend on one another in a circle.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use crate::{code, root, sources};

/// Names after names: who depends on whom.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// The program's own module, which sees all others.
const LAST: &str = "program";

/// A text without comments and without its module of tests.
fn product(text: &str) -> String {
    let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap();
    text.lines()
        .map(|line| code(line).to_owned() + "\n")
        .collect()
}

/// The paths, as lists of names, that a text names after `start`, braces opened: of
/// `start{a::{B, c::D}, e}` these are a::B, a::c::D and e.
fn paths_after(text: &str, start: &str) -> Vec<Vec<String>> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in text.match_indices(start) {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| is_name(c) || c == ':' || c == '$') {
            continue;
        }
        if text[..at].ends_with("pub(") || text[..at].ends_with("pub(in ") {
            continue;
        }
        open(&text[at + start.len()..], &mut Vec::new(), &mut found);
    }
    found
}

/// Reads one path and what its braces hold; how many bytes that were.
fn open(text: &str, prefix: &mut Vec<String>, found: &mut Vec<Vec<String>>) -> usize {
    let depth = prefix.len();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        if rest.starts_with('{') {
            at += 1;
            while !text[at..].starts_with('}') {
                at += open(&text[at..], prefix, found);
                let space = |c: char| c == ',' || c.is_whitespace();
                at += text[at..].len() - text[at..].trim_start_matches(space).len();
            }
            at += 1;
            break;
        }
        let start = rest.len() - rest.trim_start().len();
        let name: String = rest[start..]
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        let after = at + start + name.len();
        if name.is_empty() {
            // A star, or what is no path.
            at += rest[start..].chars().next().map_or(0, char::len_utf8) + start;
            found.push(prefix.clone());
            break;
        }
        prefix.push(name);
        if let Some(next) = text[after..].strip_prefix("::") {
            at = text.len() - next.len();
            continue;
        }
        at = after;
        // `as` gives another name to the same thing.
        if let Some(renamed) = text[at..].strip_prefix(" as ") {
            let name = renamed
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_');
            at += " as ".len() + name.count();
        }
        found.push(prefix.clone());
        break;
    }
    prefix.truncate(depth);
    at
}

/// A chain of names that ends where it began, if there is one.
fn circle(graph: &Graph) -> Option<Vec<String>> {
    fn visit<'a>(
        name: &'a str,
        graph: &'a Graph,
        path: &mut Vec<&'a str>,
        done: &mut BTreeSet<&'a str>,
    ) -> bool {
        if let Some(at) = path.iter().position(|open| *open == name) {
            path.drain(..at);
            path.push(name);
            return true;
        }
        if !done.insert(name) {
            return false;
        }
        path.push(name);
        let met = graph
            .get(name)
            .is_some_and(|next| next.iter().any(|next| visit(next, graph, path, done)));
        if !met {
            path.pop();
        }
        met
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|name| {
        let mut path = Vec::new();
        visit(name, graph, &mut path, &mut done)
            .then(|| path.into_iter().map(str::to_owned).collect())
    })
}

/// The rooms in the order in which `lib.rs` declares them.
pub fn rooms() -> Vec<String> {
    let text = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let declared = text
        .lines()
        .map(code)
        .filter_map(|line| line.strip_suffix(';')?.split("mod ").nth(1));
    declared.map(str::to_owned).collect()
}

/// The room that a file of `src` belongs to.
fn room(path: &Path) -> String {
    let first = path.iter().nth(1).unwrap().to_str().unwrap();
    first.trim_end_matches(".rs").to_owned()
}

#[test]
fn rooms_import_from_rooms_declared_before_them() {
    let rooms = rooms();
    assert_eq!(rooms.last().map(String::as_str), Some(LAST));
    let place = |name: &str| rooms.iter().position(|room| room == name);
    for (path, text) in sources("src") {
        let from = room(&path);
        if from == "lib" || from == "main" {
            continue;
        }
        let here = place(&from).unwrap_or_else(|| panic!("lib.rs declares no {from}"));
        for names in paths_after(&product(&text), "crate::") {
            let Some(there) = names.first().and_then(|name| place(name)) else {
                continue;
            };
            assert!(
                there <= here,
                "{}: {from} imports {}, which is declared after it",
                path.display(),
                names[0]
            );
        }
    }
}

/// The files and folders beside one another in each folder of `src`, by whom they name through
/// `super::`. A folder counts with all that is below it.
fn siblings() -> BTreeMap<PathBuf, Graph> {
    let files = sources("src");
    let mut graphs: BTreeMap<PathBuf, Graph> = BTreeMap::new();
    let names: BTreeSet<PathBuf> = files
        .iter()
        .flat_map(|(path, _)| {
            path.ancestors()
                .map(|place| place.with_extension(""))
                .collect::<Vec<_>>()
        })
        .collect();
    for (path, text) in &files {
        let stem = path.file_stem().unwrap().to_str().unwrap();
        let is_tests = path
            .iter()
            .any(|part| part.to_str().is_some_and(|part| part.contains("tests")));
        if is_tests {
            continue;
        }
        // The module that `super` means: of `a/mod.rs` the folder above `a`.
        let own = match stem {
            "mod" => path.parent().unwrap().to_owned(),
            _ => path.with_extension(""),
        };
        let text = product(text);
        for (level, start) in ["super::", "super::super::"].into_iter().enumerate() {
            let Some(folder) = own.ancestors().nth(level + 1) else {
                continue;
            };
            let from = own
                .strip_prefix(folder)
                .unwrap()
                .iter()
                .next()
                .unwrap()
                .to_str()
                .unwrap();
            for path in paths_after(&text, start) {
                let Some(to) = path.first() else { continue };
                if to != from && to != "super" && names.contains(&folder.join(to)) {
                    let graph = graphs.entry(folder.to_owned()).or_default();
                    graph.entry(from.to_owned()).or_default().insert(to.clone());
                }
            }
        }
    }
    graphs
}

#[test]
fn the_files_of_a_folder_do_not_depend_on_one_another_in_a_circle() {
    let circles = siblings().into_iter().filter_map(|(folder, graph)| {
        circle(&graph).map(|names| format!("{}: {}", folder.display(), names.join(" → ")))
    });
    let circles: Vec<String> = circles.collect();
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn nothing_reaches_up_three_folders() {
    for (path, text) in sources("src") {
        assert!(!text.contains("super::super::super"), "{}", path.display());
    }
}

#[test]
fn paths_are_read_as_the_compiler_reads_them() {
    let text = "use crate::{\n    a::{B, c::{D, E as F}},\n    g,\n};\nlet x = crate::h::i(1);\npub(crate::j) fn k()";
    let found = paths_after(text, "crate::");
    let found: Vec<String> = found.iter().map(|names| names.join("::")).collect();
    assert_eq!(found, ["a::B", "a::c::D", "a::c::E", "g", "h::i"]);
    let graph = |edges: &[(&str, &str)]| {
        let mut graph = Graph::new();
        for (from, to) in edges {
            graph
                .entry((*from).to_owned())
                .or_default()
                .insert((*to).to_owned());
        }
        graph
    };
    assert_eq!(circle(&graph(&[("a", "b"), ("b", "c"), ("a", "c")])), None);
    let names = circle(&graph(&[("a", "b"), ("b", "c"), ("c", "b")])).unwrap();
    assert_eq!(names, ["b", "c", "b"]);
}
