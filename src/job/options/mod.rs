//! Every option of a job, once: the command line, its help, the keys of a job
//! file and docs/options.md are all made from [`OPTIONS`].

mod data;
mod machine;
mod output;
mod search;

use super::Opt;
use data::DATA_AND_MODEL;
use machine::RESOURCES;
use output::REPORTING;
use search::SEARCHING;

/// The option of that name.
pub fn option(name: &str) -> Option<&'static Opt> {
    OPTIONS.iter().find(|option| option.name == name)
}

const COUNT: usize = DATA_AND_MODEL.len() + SEARCHING.len() + RESOURCES.len() + REPORTING.len();

/// The options of `passel select` and of a job, in the order they are listed.
pub const OPTIONS: &[Opt] = &joined([DATA_AND_MODEL, SEARCHING, RESOURCES, REPORTING]);

/// The options of each part, one after another.
const fn joined(parts: [&[Opt]; 4]) -> [Opt; COUNT] {
    let mut all = [DATA_AND_MODEL[0]; COUNT];
    let (mut part, mut at) = (0, 0);
    while part < parts.len() {
        let mut option = 0;
        while option < parts[part].len() {
            all[at] = parts[part][option];
            (at, option) = (at + 1, option + 1);
        }
        part += 1;
    }
    all
}
