//! Shares of one by name, of which some were selected: inclusion weights, frequencies.

use super::{
    draw::bars,
    page::{Data, Figure, Key, Page, Shape, raw},
};

/// Names told in the text that stands for the figure.
const TOLD: usize = 6;

/// A figure of them.
pub(super) struct Shares<'a> {
    pub(super) title: &'a str,
    pub(super) alt: &'a str,
    pub(super) caption: String,
    /// Name, share, and whether it was selected; the largest first.
    pub(super) rows: &'a [(&'a str, f64, bool)],
    /// What they are called in the plot and in the data.
    pub(super) of: (&'a str, &'a str),
    /// From where on they are selected, where that decides.
    pub(super) cutoff: Option<f64>,
}

impl Shares<'_> {
    /// Puts it on a page, unless there is none.
    pub(super) fn put(self, page: &mut Page) {
        let rows = self.rows;
        if rows.is_empty() {
            return;
        }
        let first = rows.iter().take(TOLD);
        let first: Vec<String> = first.map(|it| format!("{} {:.2}", it.0, it.1)).collect();
        let drawn = rows.iter().map(|(name, share, selected)| {
            let color = if *selected { "var(--a)" } else { "var(--e)" };
            (*name, *share, color)
        });
        let drawn: Vec<_> = drawn.collect();
        let data = rows.iter().map(|(name, share, selected)| {
            vec![(*name).to_owned(), raw(*share), selected.to_string()]
        });
        let mut legend = vec![
            Key::new("var(--a)", Shape::Dot, "selected"),
            Key::new("var(--e)", Shape::Dot, "not selected"),
        ];
        let rule = self.cutoff.map(|it| (it, "var(--b)"));
        legend.extend(rule.map(|it| Key::new(it.1, Shape::Dashed, "cut-off")));
        page.figure(&Figure {
            title: self.title.to_owned(),
            alt: format!("{}: {}", self.alt, first.join(", ")),
            caption: self.caption,
            legend,
            svg: bars(&drawn, self.of.0, rule.as_slice()),
            data: Data::of(&["variable", self.of.1, "selected"], data),
            heat: false,
        });
    }
}
