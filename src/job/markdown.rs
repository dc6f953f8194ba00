//! The page of options, made from the table.

use std::fmt::Write;

use super::{OPTIONS, OptionSpec, PAIRS, RUN, STABILITY};

/// docs/options.md: every option in one table a heading.
pub fn options_markdown() -> String {
    let mut page = String::from(
        "# Options\n\n\
         Of `passel select DATA` as `--name value`, and of a job as `name = value`, where a run sees to\n\
         `progress` and `checkpoint` itself.\n\
         Made from `OPTIONS` in src/job/options/ by `PASSEL_BLESS=1 cargo test`.\n",
    );
    let mut heading = "";
    for option in OPTIONS {
        if option.heading != heading {
            heading = option.heading;
            // Writing to a String cannot fail.
            let _ = write!(
                page,
                "\n## {heading}\n\n| option | default | range | meaning |\n| --- | --- | --- | --- |\n"
            );
        }
        page += &row(option);
    }
    page += "\n## Stability\n\nOf `passel stability DATA` alone, which has all those above but \
             `--trace`, `--level` and `--checkpoint` too: [stability.md](stability.md).\n\n\
             | option | default | range | meaning |\n| --- | --- | --- | --- |\n";
    page.extend(STABILITY.iter().map(row));
    page += "\n## Pairs\n\nOf `passel pairs DATA` alone, which has those above that are of data, levels, \
             `top`, `threshold`, plugins, devices and reports too.\n\n\
             | option | default | range | meaning |\n| --- | --- | --- | --- |\n";
    page.extend(PAIRS.iter().map(row));
    page += "\n## Runs\n\nOf `passel run JOBS.toml`, and of the table `[run]` of a job file: \
             [jobs.md](jobs.md).\n\n| option | default | range | meaning |\n| --- | --- | --- | --- |\n";
    page.extend(RUN.iter().map(row));
    page
}

/// One option's row of its table.
fn row<T>(option: &OptionSpec<T>) -> String {
    let value = if option.value.is_empty() { "" } else { " " };
    format!(
        "| `--{}{value}{}` | {} | {} | {} |\n",
        option.name, option.value, option.default, option.range, option.help
    )
}
