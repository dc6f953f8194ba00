//! The JSON Schema of job files, for editors, made from the tables of options.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::super::{OptionInfo, RUN, task::Command};

/// The schema docs/jobs.schema.json: the keys of a job file, their values and their meaning.
pub fn schema() -> Value {
    let mut keys: BTreeMap<&str, (&OptionInfo, Vec<&str>)> = BTreeMap::new();
    for command in Command::ALL {
        for info in command.options().filter(|info| command.has(info.name)) {
            let commands = &mut keys.entry(info.name).or_insert((info, Vec::new())).1;
            commands.push(command.name());
        }
    }
    let mut defaults = Map::new();
    let command = json!({
        "description": "The command that the job stands for (default: select)",
        "enum": Command::ALL.map(Command::name),
    });
    defaults.insert("command".to_owned(), command);
    for (name, (info, commands)) in &keys {
        defaults.insert((*name).to_owned(), job_option(info, commands));
    }
    let name = "The name of the job in its results; by default that of its data file";
    let data =
        "The data file, or several; a pattern such as \"*.csv\" stands for all files that match it";
    let file = json!({ "type": "string", "minLength": 1 });
    let files = json!({ "type": "array", "items": file, "minItems": 1 });
    let own = [
        (
            "name",
            json!({ "type": "string", "minLength": 1, "description": name }),
        ),
        (
            "data",
            json!({ "anyOf": [file, files], "description": data }),
        ),
    ];
    let mut job: Map<String, Value> = own
        .map(|(key, form)| (key.to_owned(), form))
        .into_iter()
        .collect();
    job.extend(defaults.clone());
    let run = RUN.iter().map(|info| {
        let mut form = value(info);
        form["description"] = describe(info).into();
        (info.name.to_owned(), form)
    });
    let run: Map<String, Value> = run.collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Job file of passel",
        "type": "object",
        "additionalProperties": false,
        "required": ["job"],
        "properties": {
            "run": {
                "description": "How the jobs are run; nothing here changes their results",
                "type": "object", "additionalProperties": false, "properties": run,
            },
            "defaults": {
                "description": "Options of every job that does not override them",
                "type": "object", "additionalProperties": false, "properties": defaults,
            },
            "job": {
                "description": "The jobs; lists of values make one job for each combination",
                "type": "array", "minItems": 1,
                "items": {
                    "type": "object", "additionalProperties": false,
                    "required": ["data"], "properties": job,
                },
            },
        },
    })
}

fn describe(info: &OptionInfo) -> String {
    let default = match &*info.default {
        "" => String::new(),
        default => format!(" (default: {default})"),
    };
    format!("{}: {}{default}", info.help, info.range)
}

/// The schema of one value of an option.
fn value(info: &OptionInfo) -> Value {
    let plain = json!({ "type": ["string", "number"] });
    match info.value {
        "" => json!({ "type": "boolean" }),
        _ if info.takes_array() => {
            json!({ "anyOf": [plain, { "type": "array", "items": plain }] })
        }
        _ => plain,
    }
}

/// The schema of an option of a job: one value, a list of values, or a range of whole numbers.
fn job_option(info: &OptionInfo, commands: &[&str]) -> Value {
    let one = value(info);
    let whole = json!({ "type": "integer" });
    let range = json!({
        "type": "object", "additionalProperties": false, "required": ["from", "count"],
        "properties": {
            "from": whole,
            "count": { "type": "integer", "minimum": 1 },
            "step": whole,
        },
    });
    let mut forms = vec![
        one.clone(),
        json!({ "type": "array", "items": one, "minItems": 1 }),
    ];
    if !info.value.is_empty() {
        forms.push(range);
    }
    let of = match commands.len() == Command::ALL.len() {
        true => String::new(),
        false => format!(". For {}", commands.join(" and ")),
    };
    json!({ "description": format!("{}{of}", describe(info)), "anyOf": forms })
}
