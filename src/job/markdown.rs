//! The page of options, made from the table.

use std::fmt::Write;

use super::OPTIONS;

/// docs/options.md: every option in one table a heading.
pub fn options_markdown() -> String {
    let mut page = String::from(
        "# Options\n\n\
         Of `passel select DATA` as `--name value`, and of a job file as `name = value`.\n\
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
        let value = if option.value.is_empty() { "" } else { " " };
        let _ = writeln!(
            page,
            "| `--{}{value}{}` | {} | {} | {} |",
            option.name, option.value, option.default, option.range, option.help
        );
    }
    page
}
