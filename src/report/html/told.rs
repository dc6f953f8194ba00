//! What a report in JSON says, member by member: what is absent or null is nothing.

use serde_json::{Map, Value};

use super::super::{
    ranking,
    text::{printable, significant},
};

/// What was run, on what or how: a label and its value.
pub(super) type Fact = (&'static str, String);

pub(super) fn text<'a>(told: &'a Value, member: &str) -> &'a str {
    told[member].as_str().unwrap_or_default()
}

pub(super) fn number(told: &Value, member: &str) -> Option<f64> {
    told[member].as_f64()
}

pub(super) fn count(told: &Value, member: &str) -> usize {
    let count = told[member].as_u64();
    count.and_then(|it| it.try_into().ok()).unwrap_or(0)
}

pub(super) fn list<'a>(told: &'a Value, member: &str) -> &'a [Value] {
    told[member].as_array().map_or(&[], |it| &it[..])
}

/// How many there are of a list that was cut.
pub(super) fn all(told: &Value, member: &str) -> usize {
    let all = told["all"][member].as_u64();
    let all = all.and_then(|it| it.try_into().ok());
    all.unwrap_or_else(|| list(told, member).len())
}

/// Lists of a report that a page shows the best of, and by what.
const LONG: [(&str, Option<&str>); 6] = [
    ("single", Some("score")),
    ("partners", Some("score")),
    ("pairs", None),
    ("selected", None),
    ("variables", None),
    ("set_aside", None),
];

/// Leaves of long lists what a page may show, and says how long they were.
pub(super) fn cut(told: &mut Value, most: usize) {
    let mut lengths = Map::new();
    for (member, by) in LONG {
        let Some(Value::Array(all)) = told.get_mut(member) else {
            continue;
        };
        lengths.insert(member.to_owned(), all.len().into());
        if let Some(by) = by {
            let score = |it: &Value| number(it, by).unwrap_or(f64::NEG_INFINITY);
            all.sort_by(|a, b| score(b).total_cmp(&score(a)));
        }
        all.truncate(most);
        all.shrink_to_fit();
    }
    if let Some(members) = told.as_object_mut() {
        members.insert("all".to_owned(), lengths.into());
    }
}

/// The texts of a list.
pub(super) fn texts<'a>(told: &'a Value, member: &str) -> Vec<&'a str> {
    let all = list(told, member).iter();
    all.filter_map(Value::as_str).collect()
}

/// A value on one line.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => printable(text),
        Value::Null => "none".to_owned(),
        Value::Array(all) => all.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// See [`ranking::spec`].
pub(super) fn spec(told: &Value, without: &[&str]) -> String {
    let members = told.as_object();
    members.map_or_else(String::new, |it| ranking::spec(it, without))
}

/// A count and what is counted.
pub(super) fn of(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// PSR and FDR beside the truth that the file marks.
pub(super) fn truth(told: &Value) -> Option<String> {
    let truth = &told["truth"];
    let (psr, fdr) = (number(truth, "psr")?, number(truth, "fdr")?);
    Some(format!(
        "{} of {} true variables found: PSR {} (the share of the true that was found), FDR {} (the share of the \
         chosen that is false)",
        count(truth, "found"),
        count(truth, "variables"),
        significant(psr, 4),
        significant(fdr, 4)
    ))
}

/// What it ran on, in seconds where these are told.
pub(super) fn place(told: &Value) -> Vec<Fact> {
    let mut rows = vec![("devices", texts(told, "devices").join(", "))];
    let arithmetic = match (text(told, "precision"), text(told, "screen")) {
        ("", _) => None,
        (decides, "") => Some(decides.to_owned()),
        (decides, screens) => Some(format!("{decides}, screened in {screens}")),
    };
    rows.extend(arithmetic.map(|it| ("arithmetic", it)));
    if let Some(total) = number(&told["elapsed_seconds"], "total") {
        let search = number(&told["elapsed_seconds"], "search").unwrap_or(total);
        let (search, total) = (significant(search, 3), significant(total, 3));
        rows.push(("time", format!("{search} s, with reading {total} s")));
    }
    let together = &told["together"];
    if let Some(ranks) = together["ranks"].as_u64() {
        let hosts = texts(together, "hosts").len();
        let over = text(together, "over");
        rows.push((
            "ranks",
            format!("{ranks}, on machines: {hosts}, sharing {over}"),
        ));
    }
    rows.push(("version", format!("passel {}", text(told, "passel"))));
    rows
}
