//! The page of stability selection: how often each variable was chosen, and the bounds.

use super::{
    Fact, counted,
    draw::{Mark, Scale, Shape, plane},
    first_of,
    page::{Body, DASHED, Figure, ROWS},
    ranking::POINTS,
    regression::settings,
    shares::shares,
    truth,
};
use crate::{
    report::{
        goodness::facts_of_family,
        numbers::{significant, when},
        stability::{method, model, paired, reached, resamples},
        table::{Table, count, exact, number, text},
    },
    selection::{StabilityReport, StopReason},
};

/// Variables of a plot with names.
const NAMED: usize = 30;

/// The result in a sentence, and the facts of the job.
pub(super) fn summary(report: &StabilityReport) -> (String, Vec<Fact>) {
    let (p, by) = (report.p, &report.decides);
    let none = "No variable: no cut-off keeps the expected false picks as low as wanted.";
    let lead = report.cutoff.map(|cutoff| {
        let count = counted(report.k, "stable variable", "stable variables");
        let share = significant(100.0 * cutoff, 3);
        let why = report.false_picks.map(|wanted| {
            format!(": the cut-off at which the bound {by} expects at most {wanted} false")
        });
        let why = why.unwrap_or(", as asked for".to_owned());
        format!("{count} of {p}, chosen from {share} % of the resamples or more{why}.")
    });
    let mut facts = vec![("response", report.response.clone())];
    facts.extend(report.formula.clone().map(|formula| ("formula", formula)));
    facts.extend(facts_of_family(report.family.as_ref()));
    facts.extend(report.weights.clone().map(|weights| ("weights", weights)));
    facts.extend([
        ("observations", report.n.to_string()),
        ("candidates", p.to_string()),
        ("method", method(report)),
    ]);
    let kept = &report.kept;
    facts.extend((!kept.is_empty()).then(|| ("always kept", kept.join(", "))));
    facts.extend(model(report));
    facts.push(("resamples", resamples(report)));
    let cut_short = match report.run.termination {
        StopReason::Interrupted => Some("interrupted"),
        StopReason::TimeLimit => Some("time limit"),
        _ => None,
    };
    facts.extend(cut_short.map(|cause| {
        let (done, wanted) = (report.resamples, report.wanted);
        ("ended", format!("{cause} after {done} of {wanted}"))
    }));
    let q = significant(report.q, 4);
    facts.push(("chosen of each", format!("{q} on average")));
    facts.push(("seed", report.seed.to_string()));
    facts.extend(truth(report.truth.as_ref()));
    (lead.unwrap_or(none.to_owned()), facts)
}

pub(super) fn sections(body: &mut Body, report: &StabilityReport) {
    body.section("How often each was chosen");
    frequencies(body, report);
    by_rank(body, report);
    bounds(body, report);
    let variables = &report.variables;
    let k = report.k;
    let table = Table::of(variables.iter().enumerate().take(ROWS))
        .column("variable", |(_, own)| text(&own.name))
        .column("frequency", |(_, own)| number(own.frequency, 3))
        .column("times", |(_, own)| count(own.count))
        .column_if(paired(variables), "both halves", |(_, own)| {
            number(own.simultaneous, 3)
        })
        // The most frequent are selected.
        .column("selected", move |(at, _)| text(when(*at < k, "yes")));
    let title = "Variables chosen at least once";
    body.table(title, "", &table, variables.len());
    settings(body, &report.method);
}

fn frequencies(body: &mut Body, report: &StabilityReport) {
    let rows = report.variables.iter().take(NAMED).enumerate();
    let rows = rows.map(|(at, variable)| (&*variable.name, variable.frequency, at < report.k));
    let rows: Vec<_> = rows.collect();
    let more = first_of(rows.len(), report.variables.len(), "");
    let figure = Figure {
        title: "The most frequent".to_owned(),
        alt: "Bars of the shares of resamples that chose a variable".to_owned(),
        caption: format!("The share of resamples from which each was chosen.{more}"),
        ..Figure::default()
    };
    shares(
        body,
        figure,
        &rows,
        ("frequency", "frequency"),
        report.cutoff,
    );
}

/// All frequencies, so that a gap among them is seen, or that there is none.
fn by_rank(body: &mut Body, report: &StabilityReport) {
    let all = report.variables.len();
    let drawn = all.min(POINTS);
    let variables = &report.variables[..drawn];
    if drawn < 2 {
        return;
    }
    let points = variables.iter().enumerate();
    let points = points.map(|(at, variable)| (at as f64 + 1.0, variable.frequency));
    let names = variables.iter().map(|variable| variable.name.clone());
    let mut marks = vec![Mark {
        tooltips: names.collect(),
        ..Mark::dots(points.collect(), "var(--a)", 3.0)
    }];
    let mut legend = Vec::new();
    let others = report
        .bounds
        .iter()
        .filter(|bound| bound.name != report.decides);
    let others = others.filter_map(|bound| bound.cutoff);
    marks.extend(others.map(|cutoff| Mark::rule(Shape::Across(cutoff), "var(--axis)")));
    let has_others = marks.len() > 1;
    if let Some(cutoff) = report.cutoff {
        marks.push(Mark::rule(Shape::Across(cutoff), "var(--b)"));
        legend.push(("var(--b)", DASHED, format!("cut-off ({})", report.decides)));
    }
    if has_others {
        let label = "cut-offs of the other bounds";
        legend.push(("var(--axis)", DASHED, label.to_owned()));
    }
    body.figure(Figure {
        title: "Frequencies by rank".to_owned(),
        alt: format!(
            "Frequencies of {drawn} variables by rank; {} reach the cut-off",
            report.k
        ),
        caption: format!(
            "A gap parts what is chosen again and again from what chance brings in.{}",
            first_of(drawn, all, " are drawn")
        ),
        legend,
        svg: plane(
            marks,
            ("rank", Scale::Counts),
            ("frequency", Scale::Between(0.0, 1.04)),
        ),
        data: Table::of(variables.iter().enumerate())
            .column("rank", |(at, _)| count(at + 1))
            .column("variable", |(_, own)| text(&own.name))
            .column("frequency", |(_, own)| exact(own.frequency))
            .data(POINTS),
        ..Figure::default()
    });
}

fn bounds(body: &mut Body, report: &StabilityReport) {
    body.section("What the bounds say");
    body.text(&format!(
        "They are of an expected number, with q measured, not of this selection. By the bounds of \
         complementary pairs a false pick is a variable that the method itself chooses rarely: from half of \
         the rows with a chance of at most θ = q/p, here {}. The worst case takes nothing for granted; \
         unimodal and r-concave assume a shape of the shares of resamples, which no theorem promises. By \
         Meinshausen and Bühlmann's a false pick is a variable without an effect, where all of these are \
         chosen alike. A dash: the bound says nothing there.",
        significant(report.q / report.p.max(1) as f64, 2)
    ));
    let table = Table::of(&report.bounds)
        .column("bound", |own| text(&*own.name))
        .column("cut-off", |own| number(own.cutoff, 3))
        .column("false picks at most", |own| number(own.false_picks, 3))
        .column("selected", reached)
        .column("decides", |own| {
            text(when(own.name == report.decides, "yes"))
        });
    let caption = match report.false_picks {
        None => "The cut-off was given.",
        Some(_) => "Each at the least cut-off above one half that keeps what is allowed.",
    };
    let title = "Bounds on the expected false picks";
    body.table(title, caption, &table, report.bounds.len());
}
