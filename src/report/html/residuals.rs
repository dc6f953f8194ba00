//! Residual plots of the chosen model.

use super::{
    draw::{Axis, Mark, plane},
    page::{Data, Figure, Key, Page, Shape, raw},
};
use crate::selection::{ObservationResidual, Residuals};

/// Observations that tell which they are where they are pointed at; of more none does.
const POINTED: usize = 500;

/// One of the plots.
struct View<'a> {
    title: &'a str,
    /// What stands against what.
    alt: String,
    caption: &'a str,
    legend: Vec<Key>,
    /// Behind the observations.
    behind: Mark,
    smooth: Option<&'static str>,
    /// Names of the axes, and of the numbers in the data.
    x: (&'a str, &'a str),
    y: (&'a str, &'a str),
    of: &'a dyn Fn(&ObservationResidual) -> Option<(f64, f64)>,
}

/// Against fitted values, normal quantiles and leverage.
pub(super) fn plots(page: &mut Page, residuals: &Residuals, response: &str) {
    let observed = &residuals.observed;
    // A line through one place is none.
    let first = observed.first().map(|it| it.fitted);
    let spread = observed.iter().any(|it| Some(it.fitted) != first);
    let smooth = (spread && observed.len() >= 20).then_some("var(--b)");
    let smoothed = smooth.map(|color| Key::new(color, Shape::Line, "smoothed (loess)"));
    let ends = observed.iter().filter(|it| it.standardised.is_some());
    let ends = ends.fold((0.0_f64, 0.0_f64), |ends, it| {
        (ends.0.min(it.quantile), ends.1.max(it.quantile))
    });
    let normal = Mark::line(vec![(ends.0, ends.0), (ends.1, ends.1)], "var(--b)", 1.5);
    let residual = match residuals.weighted {
        true => "residual × √weight",
        false => "residual",
    };
    let standardised = ("standardised residual", "standardised");
    let views = [
        View {
            title: "Residuals and fitted values",
            alt: "Residuals against fitted values".to_owned(),
            caption: "A bend or a funnel says that the model misses something.",
            legend: smoothed.into_iter().collect(),
            behind: Mark::Across(0.0, "var(--axis)"),
            smooth,
            x: (&format!("fitted {response}"), "fitted"),
            y: (residual, "residual"),
            of: &|it| Some((it.fitted, it.residual)),
        },
        View {
            title: "Residuals and the normal distribution",
            alt: "Quantiles of standardised residuals against normal quantiles".to_owned(),
            caption: "On the line where they are normal; p-values lean on that.",
            legend: vec![Key::new("var(--b)", Shape::Line, "normal")],
            behind: normal,
            smooth: None,
            x: ("normal quantile", "normal_quantile"),
            y: standardised,
            of: &|it| Some((it.quantile, it.standardised?)),
        },
        View {
            title: "Residuals and leverage",
            alt: "Standardised residuals against leverage".to_owned(),
            caption: "Leverage: how far an observation's own y decides its fitted value. Far right and \
                      far from 0, one observation shapes the model.",
            legend: Vec::new(),
            behind: Mark::Across(0.0, "var(--axis)"),
            smooth: None,
            x: ("leverage", "leverage"),
            y: standardised,
            of: &|it| Some((it.leverage, it.standardised?)),
        },
    ];
    let largest = observed
        .iter()
        .filter_map(|it| Some((it.row, it.standardised?)));
    let largest = largest.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
    let largest = largest.map_or_else(String::new, |(row, value)| {
        format!("; the largest standardised residual is {value:.2}, of observation {row}")
    });
    for view in views {
        // Against one value there is nothing to see.
        if spread || view.x.1 == "normal_quantile" {
            plot(page, residuals, view, &largest);
        }
    }
}

fn plot(page: &mut Page, residuals: &Residuals, view: View, largest: &str) {
    let shown = residuals
        .observed
        .iter()
        .filter_map(|it| Some((it.row, (view.of)(it)?)));
    let shown: Vec<(usize, (f64, f64))> = shown.collect();
    let thinned = match residuals.observed.len() < residuals.n {
        true => format!(
            " {} of {} observations drawn: the largest residuals and leverages, and others evenly by rank; so \
             the ends look fuller than they are.",
            shown.len(),
            residuals.n
        ),
        false => String::new(),
    };
    let whole = residuals
        .observed
        .iter()
        .filter(|it| (view.of)(it).is_none())
        .count();
    let whole = match whole {
        0 => String::new(),
        count => {
            format!(" Not drawn: {count} of leverage 1, which the model fits whatever they are.")
        }
    };
    let told = match shown.len() > POINTED {
        true => Vec::new(),
        false => shown
            .iter()
            .map(|it| format!("observation {}", it.0))
            .collect(),
    };
    let data = shown
        .iter()
        .map(|(row, (x, y))| vec![row.to_string(), raw(*x), raw(*y)]);
    page.figure(&Figure {
        title: view.title.to_owned(),
        alt: format!("{} of {} observations{largest}", view.alt, residuals.n),
        caption: format!("{}{thinned}{whole}", view.caption),
        legend: view.legend,
        data: Data::of(&["row", view.x.1, view.y.1], data),
        svg: plane(
            vec![
                view.behind,
                Mark::Dots {
                    points: shown.iter().map(|it| it.1).collect(),
                    color: "var(--a)",
                    size: 2.5,
                    told,
                    names: Vec::new(),
                    smooth: view.smooth,
                },
            ],
            Axis::of(view.x.0),
            Axis::of(view.y.0),
        ),
        heat: false,
    });
}
