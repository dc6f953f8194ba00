//! docs/options.md, made from the tables of options.

use super::{OPTIONS, OptionInfo, OptionSpec, PAIRS, PREDICT, RUN, STABILITY, VALIDATION};

/// The page docs/options.md: every option, in one table per group.
pub fn options_markdown() -> String {
    let mut page = String::from(
        "# Options\n\n\
         The options of `passel select DATA` are written `--name value` on the command line and\n\
         `name = value` in a job of a job file. A run sets `progress` and `checkpoint` for its jobs\n\
         itself. This page is made from `OPTIONS` in src/job/options/ by\n\
         `PASSEL_BLESS=1 cargo test`.\n",
    );
    for group in OPTIONS.chunk_by(|a, b| a.heading == b.heading) {
        let heading = group.first().map_or("", |option| option.heading);
        page += &section(heading, "", group);
    }
    page += &section(
        "Stability",
        "`passel stability DATA` has these, and all options above but `--trace`, `--level` and\n\
         `--checkpoint`: see [stability.md](stability.md).\n\n",
        &STABILITY,
    );
    page += &section(
        "Validation",
        "`passel validate DATA` has these, and all options above but those of stability, `--trace`, `--level`,\n\
         `--intervals` and `--checkpoint`: see [validation.md](validation.md).\n\n",
        &VALIDATION,
    );
    page += &section(
        "Pairs",
        "`passel pairs DATA` has these, and the options above for data, levels, `top`, `threshold`,\n\
         plugins, devices and reports.\n\n",
        &PAIRS,
    );
    page += &section(
        "Predictions",
        "`passel predict REPORT.json DATA` has these, and of those above `date`, `na`, `separator`, `decimal`,\n\
         `encoding`, `no-header`, `merge`, `covariates`, `keep-people`, `remove` and `timeout`: see\n\
         [prediction.md](prediction.md).\n\n",
        &PREDICT,
    );
    page += &section(
        "Runs",
        "`passel run JOBS.toml` has these, and the table `[run]` of a job file: see\n\
         [jobs.md](jobs.md).\n\n",
        &RUN,
    );
    page
}

fn section<T>(heading: &str, introduction: &str, options: &[OptionSpec<T>]) -> String {
    let rows = options.iter().map(|option| {
        let OptionInfo {
            name,
            value,
            default,
            range,
            help,
            ..
        } = &**option;
        let space = if option.is_flag() { "" } else { " " };
        format!("| `--{name}{space}{value}` | {default} | {range} | {help} |\n")
    });
    format!(
        "\n## {heading}\n\n{introduction}| option | default | range | meaning |\n\
         | --- | --- | --- | --- |\n{}",
        rows.collect::<String>()
    )
}
