//! The JSON Schema of job files, for editors: made from the tables of options.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::super::{
    OptionSpec, RUN,
    task::{Command, OptionInfo},
};

/// The schema: keys, what they take, what they do.
pub fn schema() -> Value {
    let mut keys: BTreeMap<&str, (OptionInfo, Vec<&str>)> = BTreeMap::new();
    for command in Command::ALL {
        for facts in command
            .options()
            .into_iter()
            .filter(|it| command.has(it.name))
        {
            let commands = &mut keys.entry(facts.name).or_insert((facts, Vec::new())).1;
            commands.push(command.name());
        }
    }
    let mut defaults = Map::new();
    defaults.insert("command".to_owned(), command());
    for (name, (facts, commands)) in &keys {
        defaults.insert((*name).to_owned(), listing(facts, commands));
    }
    let mut job = Map::new();
    let name = "What the job is called, in its results; else its data's name";
    job.insert(
        "name".to_owned(),
        json!({ "type": "string", "minLength": 1, "description": name }),
    );
    let data =
        "The file of data, or several; patterns as in \"*.csv\" stand for all files that match";
    let file = json!({ "type": "string", "minLength": 1 });
    let files = json!({ "type": "array", "items": file, "minItems": 1 });
    job.insert(
        "data".to_owned(),
        json!({ "anyOf": [file, files], "description": data }),
    );
    job.extend(defaults.clone());
    let run = RUN.iter().map(OptionSpec::info);
    let run: Map<String, Value> = run.map(|it| (it.name.to_owned(), own(&it))).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Job file of passel",
        "type": "object",
        "additionalProperties": false,
        "required": ["job"],
        "properties": {
            "run": {
                "description": "How the jobs are run: nothing here changes what they find",
                "type": "object", "additionalProperties": false, "properties": run,
            },
            "defaults": {
                "description": "Options of every job that does not say otherwise",
                "type": "object", "additionalProperties": false, "properties": defaults,
            },
            "job": {
                "description": "The jobs; lists of values make one of each combination",
                "type": "array", "minItems": 1,
                "items": {
                    "type": "object", "additionalProperties": false,
                    "required": ["data"], "properties": job,
                },
            },
        },
    })
}

fn command() -> Value {
    json!({
        "description": "The command that the job stands for (default: select)",
        "enum": Command::ALL.map(Command::name),
    })
}

fn told(facts: &OptionInfo) -> String {
    let default = match facts.default {
        "" => String::new(),
        default => format!(" (default: {default})"),
    };
    format!("{}: {}{default}", facts.help, facts.range)
}

/// One value of an option.
fn value(facts: &OptionInfo) -> Value {
    let plain = json!({ "type": ["string", "number"] });
    match facts.value {
        "" => json!({ "type": "boolean" }),
        _ if facts.takes_array() => {
            json!({ "anyOf": [plain, { "type": "array", "items": plain }] })
        }
        _ => plain,
    }
}

/// An option of the run.
fn own(facts: &OptionInfo) -> Value {
    let mut value = value(facts);
    value["description"] = told(facts).into();
    value
}

/// An option of a job: one value, a list of them, or a range of whole numbers.
fn listing(facts: &OptionInfo, commands: &[&str]) -> Value {
    let one = value(facts);
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
    if !facts.value.is_empty() {
        forms.push(range);
    }
    let of = match commands.len() == Command::ALL.len() {
        true => String::new(),
        false => format!(". Of {}", commands.join(" and ")),
    };
    json!({ "description": format!("{}{of}", told(facts)), "anyOf": forms })
}
