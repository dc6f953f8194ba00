//! Columns of a table that are one term.

use std::collections::HashMap;

use super::{DesignError, Hierarchy, term_plan::TermPlan};
use crate::{
    nearest::nearest,
    table::{Column, Values},
};

/// Columns that enter and leave models together: the variants of a gene, the lags of a series.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// What the term is called.
    pub name: String,
    /// Its columns. A `*` stands for any letters: `lag_*` are all columns whose names begin so.
    pub columns: Vec<String>,
}

/// For each of these columns the group that it is in.
///
/// # Errors
/// A column that is not there, is in two groups, or has the name of a group that it is not in.
pub(super) fn assign(
    groups: &[Group],
    columns: &[&str],
) -> Result<Vec<Option<usize>>, DesignError> {
    let mut of: Vec<Option<usize>> = vec![None; columns.len()];
    let refuse = |group: &Group, reason: String| {
        let group = group.name.clone();
        Err(DesignError::Group { group, reason })
    };
    let places: HashMap<&str, usize> = columns.iter().copied().zip(0..).collect();
    for (number, group) in groups.iter().enumerate() {
        if groups[..number]
            .iter()
            .any(|other| other.name == group.name)
        {
            return refuse(
                group,
                "there are two groups of this name: join them".to_owned(),
            );
        }
        for pattern in &group.columns {
            let found: Vec<usize> = match (places.get(&**pattern), pattern.contains('*')) {
                (Some(place), _) => vec![*place],
                (None, true) => {
                    let names = columns.iter().enumerate();
                    let found = names.filter(|(_, name)| is_match(pattern, name));
                    found.map(|(place, _)| place).collect()
                }
                (None, false) => Vec::new(),
            };
            if found.is_empty() {
                let near = nearest(pattern, columns.iter().copied());
                let near =
                    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                let reason = format!("no candidate is called `{pattern}`{near}");
                return refuse(group, reason);
            }
            for place in found {
                match of[place] {
                    Some(other) if other != number => {
                        let (name, other) = (columns[place], &groups[other].name);
                        let reason = format!("`{name}` is in the group {other} too");
                        return refuse(group, reason);
                    }
                    _ => of[place] = Some(number),
                }
            }
        }
        if let Some(place) = places.get(&*group.name)
            && of[*place] != Some(number)
        {
            let reason = "a column has this name and is not in the group: rename the group";
            return refuse(group, reason.to_owned());
        }
    }
    Ok(of)
}

/// Brings the columns of each group together, where the first of them stands; which columns are a term then.
/// `places` are the indexes of the columns.
pub(super) fn gather(
    groups: &[Group],
    keep: &[String],
    places: &mut Vec<usize>,
    columns: &mut Vec<Column>,
) -> Result<TermPlan, DesignError> {
    let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
    let group_of = assign(groups, &names)?;
    // Terms are numbered as they first occur.
    let mut term_of_group = vec![None; groups.len()];
    let mut labels: Vec<String> = Vec::new();
    let terms: Vec<usize> = group_of
        .iter()
        .zip(&names)
        .map(|(group, name)| {
            let mut new = |label: &str| {
                labels.push(label.to_owned());
                labels.len() - 1
            };
            match group {
                None => new(name),
                Some(group) => {
                    *term_of_group[*group].get_or_insert_with(|| new(&groups[*group].name))
                }
            }
        })
        .collect();
    let count = labels.len();
    let mut of = vec![usize::MAX; places.iter().max().map_or(0, |last| last + 1)];
    let mut plan = TermPlan {
        of: Vec::new(),
        parents: vec![Vec::new(); count],
        hierarchy: Hierarchy::None,
        keep: labels.iter().map(|label| keep.contains(label)).collect(),
        widths: vec![0; count],
        labels,
    };
    let mut all: Vec<(usize, usize, Column)> = Vec::with_capacity(columns.len());
    for ((place, term), column) in places.iter().zip(&terms).zip(columns.drain(..)) {
        of[*place] = *term;
        plan.widths[*term] += match &column.values {
            Values::Factor { levels, .. } => levels.len().saturating_sub(1).max(1),
            _ => 1,
        };
        all.push((*term, *place, column));
    }
    plan.of = of;
    all.sort_by_key(|(term, ..)| *term);
    places.clear();
    for (_, place, column) in all {
        places.push(place);
        columns.push(column);
    }
    Ok(plan)
}

/// Whether a name is that of a pattern, in which `*` stands for any letters.
fn is_match(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_names() {
        for (pattern, name, expected) in [
            ("lag_*", "lag_12", true),
            ("lag_*", "my_lag_1", false),
            ("*", "", true),
            ("*_x", "a_x", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "acb", false),
            ("ab*ba", "aba", false),
            ("x", "x", true),
            ("x", "xy", false),
        ] {
            assert_eq!(is_match(pattern, name), expected, "{pattern} {name}");
        }
    }

    fn group(name: &str, columns: &[&str]) -> Group {
        Group {
            name: name.to_owned(),
            columns: columns.iter().map(|&column| column.to_owned()).collect(),
        }
    }

    #[test]
    fn columns_of_a_group_stand_where_its_first_does() {
        let names = ["a", "s1", "b", "s2", "c"];
        let mut places = vec![0, 2, 3, 4, 6];
        let column = |name: &str| Column::from((name, vec![1.0, 2.0]));
        let mut columns: Vec<Column> = names.iter().map(|name| column(name)).collect();
        let groups = [group("spline", &["s*"]), group("own", &["c"])];
        let keep = ["spline".to_owned()];
        let plan = gather(&groups, &keep, &mut places, &mut columns).unwrap();
        let order: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
        assert_eq!(order, ["a", "s1", "s2", "b", "c"]);
        assert_eq!(places, [0, 2, 4, 3, 6]);
        assert_eq!(plan.labels, ["a", "spline", "b", "own"]);
        assert_eq!(plan.widths, [1, 2, 1, 1]);
        assert_eq!(plan.keep, [false, true, false, false]);
        let of = places.iter().map(|place| plan.of[*place]);
        assert_eq!(of.collect::<Vec<_>>(), [0, 1, 1, 2, 3]);
    }

    #[test]
    fn groups_that_exclude_each_other_are_refused() {
        let names = ["a", "b", "c"];
        for (groups, part) in [
            (vec![group("g", &["aa"])], "did you mean `a`"),
            (vec![group("g", &["x*"])], "`x*`"),
            (
                vec![group("g", &["a"]), group("h", &["a", "b"])],
                "in the group g too",
            ),
            (vec![group("g", &["a"]), group("g", &["b"])], "two groups"),
            (vec![group("c", &["a", "b"])], "a column has this name"),
        ] {
            let refused = assign(&groups, &names).unwrap_err().to_string();
            assert!(refused.contains(part), "{refused}");
        }
        assert!(assign(&[group("c", &["a", "c"])], &names).is_ok());
    }
}
