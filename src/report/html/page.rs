//! A page that needs nothing beside itself: HTML with its style, its script, its figures and the
//! data of each, for a screen of any width, light or dark, and for paper.

use std::fmt::Write;

use super::super::text;
use super::data::encoded;
pub(super) use super::data::{Cell, Data, raw};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Rows of a table that a page shows; more are counted.
pub(super) const ROWS: usize = 1000;

/// A page being made.
pub(super) struct Page {
    title: String,
    body: String,
    figures: usize,
    /// Among figures and tables.
    in_flow: bool,
}

/// A figure with all that a reader needs to read it.
pub(super) struct Figure {
    pub(super) title: String,
    /// What the figure says, for those who do not see it.
    pub(super) alt: String,
    /// How it is to be read.
    pub(super) caption: String,
    pub(super) legend: Vec<Key>,
    pub(super) svg: String,
    pub(super) data: Data,
    /// Cells of colour with texts on them.
    pub(super) heat: bool,
}

/// An entry of a legend.
pub(super) struct Key {
    /// A colour of the style.
    pub(super) color: &'static str,
    pub(super) shape: Shape,
    pub(super) label: String,
}

impl Key {
    pub(super) fn new(color: &'static str, shape: Shape, label: &str) -> Self {
        Self {
            color,
            shape,
            label: label.to_owned(),
        }
    }
}

#[derive(Clone, Copy)]
pub(super) enum Shape {
    Line,
    Dashed,
    Dot,
}

/// A table that a reader can sort and filter.
pub(super) struct Table<'a> {
    pub(super) title: &'a str,
    pub(super) caption: &'a str,
    /// Names of columns; those of numbers stand to the right.
    pub(super) names: Vec<String>,
    pub(super) rows: Vec<Vec<Cell>>,
    /// Rows that there are.
    pub(super) of: usize,
}

/// A text as HTML shows it; controls of a file's header are made visible.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for it in text::printable(text).chars() {
        match it {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\'' => safe += "&#39;",
            other => safe.push(other),
        }
    }
    safe
}

impl Page {
    /// A page of this kind, of something.
    pub(super) fn new(kind: &str, title: &str) -> Self {
        let body = format!(
            "<header>\n<p class=\"kind\">{}</p>\n<h1>{}</h1>\n",
            escaped(kind),
            escaped(title)
        );
        Self {
            title: format!("{kind}: {title}"),
            body,
            figures: 0,
            in_flow: false,
        }
    }

    /// Room for what may become a part of it.
    pub(super) fn part(&self) -> Self {
        Self {
            title: String::new(),
            body: String::new(),
            figures: self.figures,
            in_flow: false,
        }
    }

    /// Makes it one.
    pub(super) fn take(&mut self, part: Self) {
        self.put(&part.body);
        self.figures = part.figures;
        self.in_flow = part.in_flow;
    }

    /// Bytes so far.
    pub(super) fn bytes(&self) -> usize {
        self.body.len()
    }

    fn put(&mut self, html: &str) {
        if self.in_flow {
            self.body += "</div>\n";
            self.in_flow = false;
        }
        self.body += html;
    }

    /// Puts it beside other figures and tables, as far as there is room.
    fn put_beside(&mut self, html: &str) {
        if !self.in_flow {
            self.body += "<div class=\"flow\">\n";
            self.in_flow = true;
        }
        self.body += html;
    }

    /// What came out, in a sentence.
    pub(super) fn lead(&mut self, text: &str) {
        self.put(&format!("<p class=\"lead\">{}</p>\n", escaped(text)));
    }

    pub(super) fn text(&mut self, text: &str) {
        self.put(&format!("<p>{}</p>\n", escaped(text)));
    }

    /// What was run, on what, and how.
    pub(super) fn facts(&mut self, rows: &[(&str, String)]) {
        let mut html = String::from("<dl class=\"facts\">\n");
        for (label, value) in rows {
            let _ = writeln!(
                html,
                "<div><dt>{label}</dt><dd>{}</dd></div>",
                escaped(value)
            );
        }
        self.put(&(html + "</dl>\n"));
    }

    /// What to know before trusting the rest.
    pub(super) fn notes(&mut self, notes: &[String]) {
        if notes.is_empty() {
            self.put("<div class=\"notes fine\"><p>No warnings.</p></div>\n");
            return;
        }
        let items = notes.iter().map(|it| format!("<li>{}</li>\n", escaped(it)));
        let items: String = items.collect();
        self.put(&format!(
            "<div class=\"notes\" role=\"note\"><h3>To know first</h3><ul>\n{items}</ul></div>\n"
        ));
    }

    /// What makes the same again.
    pub(super) fn command(&mut self, command: &str) {
        let command = escaped(command);
        self.put(&format!(
            "<p class=\"kind\">Made by <code>{command}</code></p>\n"
        ));
    }

    pub(super) fn section(&mut self, title: &str) {
        self.put(&format!("<h2>{}</h2>\n", escaped(title)));
    }

    /// What follows until the lid is closed is seen when it is opened.
    pub(super) fn open_lid(&mut self, class: &str, title: &str) {
        self.put(&format!(
            "<details class=\"{class}\"><summary>{}</summary>\n",
            escaped(title)
        ));
    }

    pub(super) fn close_lid(&mut self) {
        self.put("</details>\n");
    }

    pub(super) fn figure(&mut self, figure: &Figure) {
        self.put_beside("");
        self.figures += 1;
        let svg = own_ids(&figure.svg, self.figures);
        let (alt, title) = (escaped(&figure.alt), escaped(&figure.title));
        let svg = svg.replacen(
            "<svg ",
            &format!("<svg role=\"img\" aria-label=\"{alt}\" "),
            1,
        );
        let _ = write!(
            self.body,
            "<figure{}>\n<figcaption><div class=\"head\"><h3>{title}</h3>{}</div><p>{}</p></figcaption>\n\
             <div class=\"plot\">{svg}</div>\n",
            if figure.heat { " class=\"heat\"" } else { "" },
            figure.data.link(&figure.title),
            escaped(&figure.caption),
        );
        if !figure.legend.is_empty() {
            self.body += "<ul class=\"legend\">";
            for Key {
                color,
                shape,
                label,
            } in &figure.legend
            {
                let class = match shape {
                    Shape::Line => "",
                    Shape::Dashed => "dashed",
                    Shape::Dot => "dot",
                };
                let _ = write!(
                    self.body,
                    "<li><i class=\"{class}\" style=\"color:{color}\"></i>{}</li>",
                    escaped(label)
                );
            }
            self.body += "</ul>\n";
        }
        self.body += "</figure>\n";
    }

    pub(super) fn table(&mut self, table: &Table) {
        let Table {
            title,
            caption,
            names,
            rows,
            of,
        } = table;
        let shown = &rows[..rows.len().min(ROWS)];
        let raws = shown.iter().map(|row| row.iter().map(Cell::raw).collect());
        let data = Data {
            names: names.clone(),
            rows: raws.collect(),
        };
        let more = match of.saturating_sub(shown.len()) {
            0 => String::new(),
            _ => format!(" The first {} of {of} rows.", shown.len()),
        };
        let is_number = |at: usize| {
            let first = rows.first().and_then(|row| row.get(at));
            matches!(first, Some(Cell::Number(..)))
        };
        let class = |number: bool| if number { " class=\"n\"" } else { "" };
        let mut html = format!(
            "<div class=\"table\"><div class=\"head\"><h3>{}</h3>{}</div>",
            escaped(title),
            data.link(title)
        );
        if !caption.is_empty() || !more.is_empty() {
            let _ = write!(html, "<p>{}{more}</p>", escaped(caption));
        }
        // Reached by keys where it scrolls.
        let _ = write!(
            html,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\">\
             <table class=\"data\" aria-label=\"{0}\"><thead><tr>",
            escaped(title)
        );
        for (at, name) in names.iter().enumerate() {
            let class = class(is_number(at));
            let _ = write!(html, "<th scope=\"col\"{class}>{}</th>", escaped(name));
        }
        html += "</tr></thead><tbody>\n";
        for row in shown {
            html += "<tr>";
            for cell in row {
                let _ = match cell {
                    Cell::Text(text) | Cell::Short(_, text) => {
                        write!(html, "<td>{}</td>", escaped(text))
                    }
                    Cell::Link(text, file) => {
                        let mut href = String::from("./");
                        encoded(&mut href, file);
                        write!(html, "<td><a href=\"{href}\">{}</a></td>", escaped(text))
                    }
                    Cell::Number(_, shown) => write!(
                        html,
                        "<td class=\"n\" data-v=\"{}\">{}</td>",
                        cell.raw(),
                        escaped(shown)
                    ),
                };
            }
            html += "</tr>\n";
        }
        self.put_beside(&(html + "</tbody></table></div></div>\n"));
    }

    /// Ends what is told first.
    pub(super) fn close_head(&mut self) {
        self.put("</header>\n<main>\n");
    }

    /// The whole page.
    pub(super) fn finish(mut self) -> String {
        let version = env!("CARGO_PKG_VERSION");
        self.put("</main>\n");
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
             <meta name=\"generator\" content=\"passel {version}\">\n\
             <link rel=\"icon\" href=\"data:,\">\n\
             <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{}\
             <footer>Made by passel {version}. Each figure and table has its data as CSV; \
             nothing here is loaded from anywhere.</footer>\n\
             <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
            escaped(&self.title),
            self.body,
        )
    }
}

/// A figure whose identifiers no other of its page has: the plots are drawn one by one.
fn own_ids(svg: &str, number: usize) -> String {
    const STEM: &str = "kuva-clip-";
    let mut own = String::with_capacity(svg.len());
    let mut parts = svg.split(STEM);
    own += parts.next().unwrap_or_default();
    for part in parts {
        let rest = part.trim_start_matches(|it: char| it.is_ascii_digit());
        let _ = write!(own, "clip-{number}{rest}");
    }
    own
}
