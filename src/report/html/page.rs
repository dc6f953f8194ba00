//! The parts of a page, which needs no other file: HTML with its style, its script, its figures
//! and the data of each, for a screen of any width, light or dark, and for paper.

use std::fmt::Write;

use maud::{Markup, PreEscaped, html};

use super::{Fact, first_of};
use crate::{
    printable::printable_lines,
    report::{
        numbers::printable,
        table::{ABSENT, Cell, Table},
    },
};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
const POLICY: &str = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; \
                      script-src 'unsafe-inline'";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Rows of a table that a page shows; more are only counted.
pub(super) const ROWS: usize = 1000;

/// Signs of a fact that stands beside others.
const SHORT: usize = 60;

/// A part of a page being made.
#[derive(Debug, Default)]
pub(super) struct Body {
    html: String,
    /// Which part of the page it is, in the identifiers of its figures.
    part: String,
    figures: usize,
    /// Figures and tables that follow one another stand side by side, as far as there is room.
    in_flow: bool,
}

/// A figure with all that a reader needs to read it.
#[derive(Default)]
pub(super) struct Figure {
    pub(super) title: String,
    /// What the figure says, for those who do not see it.
    pub(super) alt: String,
    /// How the figure is to be read.
    pub(super) caption: String,
    pub(super) legend: Vec<Key>,
    pub(super) svg: String,
    /// The numbers drawn, as CSV.
    pub(super) data: String,
    /// Whether texts stand on cells of colour.
    pub(super) heat: bool,
}

/// An entry of a legend: a colour and a shape of the style, and the label.
pub(super) type Key = (&'static str, &'static str, String);

pub(super) const LINE: &str = "";
pub(super) const DASHED: &str = "dashed";
pub(super) const DOT: &str = "dot";

impl Body {
    /// Another part of a page, whose figures have identifiers of their own.
    pub(super) fn part(name: String) -> Self {
        Self {
            part: name,
            ..Self::default()
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.put(html! {});
        self.html
    }

    /// Adds a part that was made apart.
    pub(super) fn append(&mut self, part: &str) {
        self.put(PreEscaped(part.to_owned()));
    }

    pub(super) fn len(&self) -> usize {
        self.html.len()
    }

    fn put(&mut self, html: Markup) {
        if self.in_flow {
            self.html += "</div>\n";
            self.in_flow = false;
        }
        self.html += &html.0;
    }

    fn put_in_flow(&mut self, html: Markup) {
        if !self.in_flow {
            self.html += "<div class=\"flow\">\n";
            self.in_flow = true;
        }
        self.html += &html.0;
    }

    /// The result in a sentence.
    pub(super) fn lead(&mut self, text: &str) {
        self.put(html! { p.lead { (printable(text)) } "\n" });
    }

    pub(super) fn text(&mut self, text: &str) {
        self.put(html! { p { (printable(text)) } "\n" });
    }

    pub(super) fn facts(&mut self, facts: &[Fact]) {
        self.put(html! {
            dl.facts { "\n"
                @for (label, value) in facts {
                    // A long value has a line of its own.
                    div class=[(value.chars().count() > SHORT).then_some("wide")] {
                        dt { (label) } dd { (printable(value)) }
                    } "\n"
                }
            } "\n"
        });
    }

    /// What to know before trusting the rest.
    pub(super) fn notes(&mut self, notes: &[String]) {
        self.put(html! {
            @if notes.is_empty() {
                p.kind { "No warnings." } "\n"
            } @else {
                div.notes role="note" { h3 { "To know first" } ul { "\n"
                    @for note in notes { li { (printable(note)) } "\n" }
                } } "\n"
            }
        });
    }

    /// The command that makes the report again: it breaks between options, not within one.
    pub(super) fn command(&mut self, command: &str) {
        let command = printable(command);
        let mut options = command.split(" --");
        self.put(html! {
            p.command { "Made by " code {
                span { (options.next().unwrap_or_default()) }
                @for option in options { " " span { "--" (option) } }
            } } "\n"
        });
    }

    pub(super) fn section(&mut self, title: &str) {
        self.put(html! { h2 { (printable(title)) } "\n" });
    }

    /// Folds away what `content` adds.
    pub(super) fn fold(&mut self, class: &str, title: &str, content: impl FnOnce(&mut Self)) {
        self.put(html! {});
        let before = std::mem::take(&mut self.html);
        content(self);
        self.put(html! {});
        let folded = PreEscaped(std::mem::replace(&mut self.html, before));
        self.put(html! {
            details class=(class) { summary { (printable(title)) } "\n" (folded) } "\n"
        });
    }

    pub(super) fn figure(&mut self, figure: Figure) {
        self.figures += 1;
        // The drawing has the width that the page gives it, and says what it shows.
        let alt = html! { (printable(&figure.alt)) }.into_string();
        let svg = own_ids(&figure.svg, &format!("{}{}", self.part, self.figures));
        let svg = svg.replacen(
            "<svg ",
            &format!("<svg role=\"img\" aria-label=\"{alt}\" "),
            1,
        );
        self.put_in_flow(html! {
            figure class=[figure.heat.then_some("heat")] { "\n"
                figcaption {
                    div.head { h3 { (printable(&figure.title)) } (link(&figure.title, &figure.data)) }
                    p { (printable(&figure.caption)) }
                } "\n"
                div.plot { (PreEscaped(svg)) } "\n"
                @if !figure.legend.is_empty() {
                    ul.legend { @for (color, shape, label) in &figure.legend {
                        li { i class=(shape) style={ "color:" (color) } {} (printable(label)) }
                    } } "\n"
                }
            } "\n"
        });
    }

    /// A table that a reader can sort and filter: its first [`ROWS`] rows of `all`.
    pub(super) fn table<T>(&mut self, title: &str, caption: &str, table: &Table<T>, all: usize) {
        let title = &printable(title);
        let shown = table.rows.len().min(ROWS);
        let more = first_of(shown, all, " rows");
        // Columns of numbers, by the first row.
        let first = table.rows.first().map(|row| table.cells(row));
        let mut first = first.into_iter().flatten().map(|cell| is_number(&cell));
        self.put_in_flow(html! {
            div.table {
                div.head { h3 { (title) } (link(title, &table.data(ROWS))) }
                @if !caption.is_empty() || !more.is_empty() { p { (printable(caption)) (more) } }
                // Reached by keys where it scrolls.
                div.scroll tabindex="0" role="region" aria-label=(title) {
                    table.data aria-label=(title) {
                        thead { tr { @for name in table.names() {
                            th scope="col" class=[first.next().unwrap_or(false).then_some("n")] { (printable(name)) }
                        } } }
                        tbody { "\n"
                            @for row in table.rows.iter().take(ROWS) {
                                tr { @for cell in table.cells(row) { (field(&cell)) } } "\n"
                            }
                        }
                    }
                }
            } "\n"
        });
    }
}

fn is_number(cell: &Cell) -> bool {
    matches!(cell, Cell::Count(_) | Cell::Number(..))
}

fn field(cell: &Cell) -> Markup {
    match cell {
        Cell::Link(text, file) => html! {
            td { a href={ "./" (encoded(file)) } { (printable(text)) } }
        },
        Cell::Number(Some(number), _) if !number.is_finite() => {
            html! { td.n data-v="" { (ABSENT) } }
        }
        cell if is_number(cell) => html! { td.n data-v=(cell.data()) { (cell.shown()) } },
        cell => html! { td { (cell.shown()) } },
    }
}

/// A link by which the browser saves data as a file, without a server.
fn link(title: &str, data: &str) -> Markup {
    let name = title.replace(|sign: char| !sign.is_ascii_alphanumeric(), "-");
    let name = name.to_ascii_lowercase();
    html! {
        a.csv download={ (name) ".csv" } href={ "data:text/csv;charset=utf-8," (encoded(data)) }
            title={ "the data of: " (printable(title)) } { "CSV" }
    }
}

/// A text as a part of a link: what may not stand there by its bytes.
fn encoded(text: &str) -> String {
    let mut link = String::with_capacity(text.len() * 5 / 4);
    for byte in text.bytes() {
        match byte.is_ascii_alphanumeric() || b"-._~,:=+*()".contains(&byte) {
            true => link.push(char::from(byte)),
            // Writing to a String cannot fail.
            false => drop(write!(link, "%{byte:02X}")),
        }
    }
    link
}

/// A figure whose identifiers no other of its page has: the plots are drawn one by one.
fn own_ids(svg: &str, number: &str) -> String {
    let mut parts = svg.split("kuva-clip-");
    let mut own = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|sign: char| sign.is_ascii_digit());
        own += &format!("clip-{number}{rest}");
    }
    own
}

pub(super) fn document(kind: &str, title: &str, head: Body, main: Body) -> String {
    let title = printable(title);
    let page = html! {
        (PreEscaped("<!doctype html>\n"))
        html lang="en" { "\n"
            head { "\n"
                meta charset="utf-8"; "\n"
                meta name="viewport" content="width=device-width, initial-scale=1"; "\n"
                meta http-equiv="Content-Security-Policy" content=(POLICY); "\n"
                meta name="generator" content={ "passel " (VERSION) }; "\n"
                link rel="icon" href="data:,"; "\n"
                title { (kind) ": " (title) } "\n"
                style { "\n" (PreEscaped(STYLE)) } "\n"
            } "\n"
            body { "\n"
                header { "\n"
                    p.kind { (kind) } "\n"
                    h1 { (title) } "\n"
                    (PreEscaped(head.finish()))
                } "\n"
                main { "\n" (PreEscaped(main.finish())) } "\n"
                footer {
                    "Made by passel " (VERSION) ". Each figure and table has its data as CSV; \
                     nothing here is loaded from anywhere."
                } "\n"
                script { "\n" (PreEscaped(SCRIPT)) } "\n"
            } "\n"
        } "\n"
    };
    // Whatever repeats a name without escaping it.
    printable_lines(&page.into_string()).into_owned()
}
