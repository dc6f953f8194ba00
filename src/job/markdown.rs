//! The page of options, made from the table.

use std::fmt::Write;

use super::{OPTIONS, Opt, STABILITY};

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
        page += &row(option);
    }
    page += "\n## Stability\n\nOf `passel stability DATA` alone, which has all those above but \
             `--trace`, `--level` and `--checkpoint` too: [stability.md](stability.md).\n\n\
             | option | default | range | meaning |\n| --- | --- | --- | --- |\n";
    page.extend(STABILITY.iter().map(row));
    page
}

/// One option's row of its table.
fn row<T>(option: &Opt<T>) -> String {
    let value = if option.value.is_empty() { "" } else { " " };
    format!(
        "| `--{}{value}{}` | {} | {} | {} |\n",
        option.name, option.value, option.default, option.range, option.help
    )
}
