//! The values of parameters that `passel plugins --check` tries.

use super::check_calls::Checked;
use crate::plugin::{MethodError, MethodInfo, Plugin};

/// What is said of what cannot be tried begins with this.
pub(super) const NOT_TRIED: &str = "not tried: ";

/// Name and parameters of what was given for a check: `NAME:PARAMETER=VALUE,…`.
fn parts(given: &str) -> (&str, &str) {
    given.split_once(':').unwrap_or((given, ""))
}

/// The first that was given of something that the plugin does not bring.
pub(super) fn not_brought<'g>(plugin: &Plugin, given: &[&'g str]) -> Option<&'g str> {
    let names = plugin.names().concat();
    let mut given = given.iter();
    given.find(|own| !names.contains(&parts(own).0)).copied()
}

/// What is asked for with the values that are given, else the defaults, of its parameters; and with every choice, or the least
/// and the largest, of each other one.
pub(super) fn specs(info: &MethodInfo, given: &[&str]) -> Vec<String> {
    let name = &info.name;
    let own = given.iter().map(|own| parts(own));
    let own: Vec<&str> = own
        .filter(|(of, values)| of == name && !values.is_empty())
        .map(|(_, values)| values)
        .collect();
    let with = |more: Option<String>| {
        let all = own.iter().map(|own| (*own).to_owned()).chain(more);
        let all: Vec<String> = all.collect();
        let colon = if all.is_empty() { "" } else { ":" };
        format!("{name}{colon}{}", all.join(","))
    };
    let mut all = vec![with(None)];
    for parameter in &info.parameters {
        let start = format!("{}=", parameter.name);
        let mut values = own.iter().flat_map(|own| own.split(','));
        if parameter.is_file || values.any(|value| value.trim().starts_with(&start)) {
            continue;
        }
        let values: Vec<f64> = match parameter.choices.len() {
            0 => vec![parameter.least, parameter.most],
            count => (0..count).map(|at| at as f64).collect(),
        };
        for value in values.into_iter().filter(|own| *own != parameter.default) {
            let text = match parameter.choices.get(value as usize) {
                Some(choice) => format!("{start}{choice}"),
                None => format!("{start}{value}"),
            };
            all.push(with(Some(text)));
        }
    }
    all
}

/// What a refusal means: nothing wrong where the plugin itself refuses the values, which it may not have without a file.
pub(super) fn of_refusal(info: &MethodInfo, spec: &str, error: &MethodError) -> Checked {
    let is_given = |name: &str| {
        let mut values = parts(spec).1.split(',');
        values.any(|value| value.trim().starts_with(&format!("{name}=")))
    };
    let is_objection = matches!(
        error,
        MethodError::Refused {
            is_objection: true,
            ..
        }
    );
    let mut files = info.parameters.iter().filter(|own| own.is_file);
    let lacking = files.find(|own| !is_given(&own.name));
    match lacking {
        _ if !is_objection => Err(format!("passel refuses it: {error}")),
        Some(file) => Ok(format!(
            "{NOT_TRIED}its file {0} has no value; give one by --with {1}:{0}=FILE",
            file.name, info.name
        )),
        None => Ok(format!("refused: {error}")),
    }
}
