//! The held-out error of models of each size.

use super::{
    draw::{Mark, Points, Scale, Shape, plane},
    page::{Body, DASHED, Figure, LINE},
};
use crate::{
    report::sizes::{Sizes, about},
    selection::Selection,
};

/// How cross-validation chose the size of a model.
pub(super) fn section(body: &mut Body, report: &Selection) {
    if let Some(choice) = &report.cross_validation {
        body.section("The size");
        errors(body, &Sizes::of_choice(choice), &about(choice));
    }
}

/// The error of models of each size, with one standard error to either side.
pub(super) fn errors(body: &mut Body, sizes: &Sizes, caption: &str) {
    let (all, unit, label) = (sizes.all, sizes.unit, sizes.measure);
    if all.len() < 2 {
        return;
    }
    let of = |sign: f64| -> Points {
        let points = all.iter().map(|own| {
            let error = own.std_error.unwrap_or(0.0);
            (own.size as f64, own.value + sign * error)
        });
        points.collect()
    };
    let band = |sign: f64| Mark {
        dashed: true,
        ..Mark::line(of(sign), "var(--axis)", 1.2)
    };
    let mut marks = vec![
        band(-1.0),
        band(1.0),
        Mark::line(of(0.0), "var(--a)", 2.0),
        Mark::dots(of(0.0), "var(--a)", 3.0),
    ];
    let mut legend = vec![
        ("var(--a)", LINE, format!("held-out {label}")),
        ("var(--axis)", DASHED, "one standard error".to_owned()),
    ];
    if let Some(within) = sizes.within {
        marks.push(Mark::rule(Shape::Upright(within as f64), "var(--b)"));
        let text = format!("{within} {unit}: the fewest within one standard error of the least");
        legend.push(("var(--b)", DASHED, text));
    }
    if let Some(chosen) = sizes.chosen {
        marks.push(Mark::rule(Shape::Upright(chosen as f64), "var(--c)"));
        legend.push(("var(--c)", DASHED, format!("chosen: {chosen} {unit}")));
    }
    let best = sizes.best.unwrap_or_default();
    body.figure(Figure {
        title: "Error by size".to_owned(),
        alt: format!("Held-out {label} by the number of {unit}: the least at {best}"),
        caption: caption.to_owned(),
        legend,
        svg: plane(marks, (unit, Scale::Counts), (label, Scale::Points)),
        data: sizes.table(all.len()).data(all.len()),
        ..Figure::default()
    });
}
