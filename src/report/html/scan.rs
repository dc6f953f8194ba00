//! The tests of all variants on a page: along the genome, by rank, and around each chosen one.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    draw::{Mark, Points, Scale, Shape, extent, manhattan, plane},
    labels::{SIGNS, within},
    page::{Body, DOT, Figure, Key, LINE},
};
use crate::{
    family::normal_quantile,
    report::{
        numbers::{significant, when},
        table::{Table, count, exact, text},
    },
    search::{NAMED, REGION, Region, ScannedVariant, VariantScan},
    selection::{CredibleSet, Selection},
};

/// The strongest of so many are each drawn, of a figure along the genome and of one region; of the others one in each cell.
const DRAWN: usize = 2000;
const DRAWN_NEAR: usize = 600;

/// Cells of a figure.
const CELLS: [f64; 2] = [160.0, 110.0];

/// −log₁₀ p of the usual bound of the whole genome, 5·10⁻⁸.
const GENOME_WIDE: f64 = 7.301_029_995_663_981;

/// Colours of r² from each of these on.
const COLOURS: [(f64, &str); 5] = [
    (0.8, "var(--b)"),
    (0.6, "var(--e)"),
    (0.4, "var(--c)"),
    (0.2, "var(--f)"),
    (0.0, "var(--axis)"),
];

/// The median of χ² with one degree of freedom.
const MEDIAN: f64 = 0.454_936_423_119_572_7;

/// A variant on a figure: its place, −log₁₀ p, and which one it is.
type Drawn = (f64, f64, usize);

pub(super) fn sections(body: &mut Body, scan: &VariantScan, report: &Selection) {
    body.section("All variants, one at a time");
    let null = match (report.kept.is_empty(), report.intercept) {
        (true, Some(_)) => "the intercept alone",
        (true, None) => "the empty model",
        (false, _) => "what is always kept",
    };
    let beside = [null, "the chosen model"];
    let test = match report.family {
        None => "Student's t of its coefficient",
        Some(_) => "Rao's score test",
    };
    body.text(&format!(
        "p of each variant is that of {test}, beside {null}, and beside the chosen model, whose own variants have the p of their \
         coefficients there: what is left is not explained by the model. Copies are drawn once."
    ));
    for of in [0, 1] {
        along_the_genome(body, scan, (of, beside[of]));
    }
    by_rank(body, scan, beside);
    for region in &scan.regions {
        around(body, scan, region, (report, null));
    }
}

fn score(own: &ScannedVariant, of: usize) -> Option<f64> {
    [own.null, own.model][of]
}

/// The strongest points, and of the others one in each cell of a figure: more cannot be seen.
fn thinned(mut points: Vec<Drawn>, most: usize) -> Vec<Drawn> {
    points.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.2.cmp(&b.2)));
    let above = points.iter().take_while(|own| own.1 >= NAMED).count();
    let rest = points.split_off(above.min(most));
    let all = || points.iter().chain(&rest);
    let (left, right) = extent(all().map(|own| own.0));
    let (low, high) = extent(all().map(|own| own.1));
    let cell = |at: f64, from: f64, to: f64, cells: f64| {
        ((at - from) / (to - from).max(f64::MIN_POSITIVE) * cells) as u32
    };
    let mut seen = BTreeSet::new();
    let is_seen = |own: &Drawn| {
        seen.insert((
            cell(own.0, left, right, CELLS[0]),
            cell(own.1, low, high, CELLS[1]),
        ))
    };
    let rest: Vec<Drawn> = rest.into_iter().filter(is_seen).collect();
    points.extend(rest);
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
    points
}

/// Says that points were left out.
fn left_out(drawn: usize, all: usize) -> String {
    let told = format!(
        " {drawn} of {all} are drawn: the strongest, and of the others one wherever they lie closer than can be seen."
    );
    when(drawn < all, &told).to_owned()
}

/// Where each variant lies along the genome, chromosomes one after another.
fn along(scan: &VariantScan) -> Vec<f64> {
    let mut ends: BTreeMap<usize, (i64, i64)> = BTreeMap::new();
    for own in &scan.variants {
        let end = ends
            .entry(own.chromosome)
            .or_insert((own.position, own.position));
        *end = (end.0.min(own.position), end.1.max(own.position));
    }
    let total: i64 = ends.values().map(|(from, to)| to - from).sum();
    let gap = (total as f64 * 0.01).max(1.0);
    let mut start = 0.0;
    let mut starts = BTreeMap::new();
    for (chromosome, (from, to)) in ends {
        starts.insert(chromosome, start - from as f64);
        start += (to - from) as f64 + gap;
    }
    let variants = scan.variants.iter();
    variants
        .map(|own| own.position as f64 + starts[&own.chromosome])
        .collect()
}

fn along_the_genome(body: &mut Body, scan: &VariantScan, (of, beside): (usize, &str)) {
    let along = along(scan);
    let all = scan.variants.iter().enumerate();
    let all = all.filter_map(|(at, own)| Some((along[at], score(own, of)?, at)));
    let (chosen, others): (Vec<Drawn>, Vec<Drawn>) =
        all.partition(|own| scan.variants[own.2].is_chosen);
    let total = others.len() + chosen.len();
    let others = thinned(others, DRAWN);
    if total == 0 {
        return;
    }
    let chromosome = |at: usize| scan.chromosomes[scan.variants[at].chromosome].clone();
    let drawn = others.iter().chain(&chosen);
    let mut drawn: Vec<Drawn> = drawn.copied().collect();
    drawn.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.cmp(&b.2)));
    let highest = drawn.iter().map(|own| own.1).fold(GENOME_WIDE, f64::max) * 1.06;
    let points = drawn.iter().map(|own| {
        let chromosome = scan.variants[own.2].chromosome;
        (&*scan.chromosomes[chromosome], own.0, own.1)
    });
    let marked: Points = chosen.iter().map(|own| (own.0, own.1)).collect();
    let names = chosen.iter();
    let names = names.map(|own| within(&scan.variants[own.2].name, SIGNS));
    let svg = manhattan(points, (marked, names.collect()), (GENOME_WIDE, highest));
    body.figure(Figure {
        title: format!("Manhattan plot beside {beside}"),
        alt: format!("−log10 p of {total} variants along the genome, beside {beside}"),
        caption: format!(
            "Of each variant −log10 p beside {beside}, the chosen ones marked; line: 5·10⁻⁸.{}",
            left_out(drawn.len(), total)
        ),
        legend: vec![
            ("var(--a)", DOT, "variants, by chromosome".to_owned()),
            ("var(--b)", DOT, "chosen".to_owned()),
        ],
        svg,
        data: Table::of(&drawn)
            .column("variant", |own| text(&*scan.variants[own.2].name))
            .column("chromosome", |own| text(chromosome(own.2)))
            .column("position", |own| {
                text(scan.variants[own.2].position.to_string())
            })
            .column("minus_log10_p", |own| exact(own.1))
            .data(drawn.len()),
        ..Figure::default()
    });
}

/// λ of genomic control: the median of χ² over that of chance. None where there is none.
fn inflation(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len().checked_sub(1)? / 2;
    let median = 0.5 * (sorted[middle] + sorted[sorted.len() / 2]);
    let z = normal_quantile(1.0 - 10_f64.powf(-median));
    Some(z * z / MEDIAN)
}

fn by_rank(body: &mut Body, scan: &VariantScan, beside: [&str; 2]) {
    let sorted = [0, 1].map(|of| {
        let others = scan.variants.iter().filter(|own| of == 0 || !own.is_chosen);
        let mut scores: Vec<f64> = others.filter_map(|own| score(own, of)).collect();
        scores.sort_by(|a, b| b.total_cmp(a));
        scores
    });
    let lambdas = [0, 1].map(|of| inflation(&sorted[of]));
    let mut rows: Vec<(usize, f64, f64)> = Vec::new();
    for (of, scores) in sorted.iter().enumerate() {
        // All of the first, then ever fewer.
        let mut next = 0.0;
        for (at, own) in scores.iter().enumerate() {
            if at as f64 >= next || at + 1 == scores.len() {
                let expected = -((at as f64 + 0.5) / scores.len() as f64).log10();
                rows.push((of, expected, *own));
                next = if at < 200 { 0.0 } else { at as f64 * 1.01 };
            }
        }
    }
    if rows.is_empty() {
        return;
    }
    let of = |model: usize, color| {
        let own = rows.iter().filter(|own| own.0 == model);
        Mark::dots(own.map(|own| (own.1, own.2)).collect(), color, 1.6)
    };
    let most = rows.iter().map(|own| own.1).fold(0.0, f64::max);
    let same = Mark::line(vec![(0.0, 0.0), (most, most)], "var(--axis)", 1.2);
    let told = |model: usize| {
        let lambda = lambdas[model].map(|own| format!(": λ = {}", significant(own, 4)));
        format!("beside {}{}", beside[model], lambda.unwrap_or_default())
    };
    let svg = plane(
        vec![same, of(0, "var(--a)"), of(1, "var(--b)")],
        ("expected −log10 p", Scale::Points),
        ("observed −log10 p", Scale::Points),
    );
    let legend: Vec<Key> = vec![
        ("var(--a)", DOT, told(0)),
        ("var(--b)", DOT, told(1)),
        ("var(--axis)", LINE, "chance alone".to_owned()),
    ];
    body.figure(Figure {
        title: "Quantiles of p".to_owned(),
        alt: format!("Observed against expected −log10 p, {}; {}", told(0), told(1)),
        caption: "QQ plot; λ of genomic control: the median χ² over that of chance. Those of the chosen model are of the \
                  variants outside of it."
            .to_owned(),
        legend,
        svg,
        data: Table::of(&rows)
            .column("beside", |own| text(beside[own.0]))
            .column("expected", |own| exact(own.1))
            .column("observed", |own| exact(own.2))
            .data(rows.len()),
        ..Figure::default()
    });
}

/// A variant of a region.
struct Near<'a> {
    variant: &'a ScannedVariant,
    at: f64,
    r_squared: f64,
    is_member: bool,
}

fn around(
    body: &mut Body,
    scan: &VariantScan,
    region: &Region,
    (report, beside): (&Selection, &str),
) {
    let chosen = &scan.variants[region.chosen];
    let mut selected = report.selected.iter();
    let own = selected.find(|own| own.name == chosen.name);
    let set = own.and_then(|own| own.credible_set.as_ref());
    let members = set.map_or(&[][..], CredibleSet::set);
    let members: BTreeSet<&str> = members.iter().map(|own| &*own.name).collect();
    let near = |(at, r_squared): &(usize, f64)| {
        let variant = &scan.variants[*at];
        Near {
            variant,
            at: variant.position as f64 / 1e6,
            r_squared: *r_squared,
            is_member: members.contains(&*variant.name),
        }
    };
    let all: Vec<Near> = region.variants.iter().map(near).collect();
    let points = all.iter().enumerate();
    let points = points.filter_map(|(at, own)| Some((own.at, own.variant.null?, at)));
    let (kept, others): (Vec<Drawn>, Vec<Drawn>) =
        points.partition(|own| all[own.2].is_member || all[own.2].variant.is_chosen);
    let total = kept.len() + others.len();
    let mut drawn = thinned(others, DRAWN_NEAR);
    drawn.extend(kept);
    let drawn: Vec<&Near> = drawn.into_iter().map(|own| &all[own.2]).collect();
    let null = |own: &&Near| Some((own.at, own.variant.null?));
    let mut marks = Vec::new();
    let after: Points = drawn
        .iter()
        .filter_map(|own| Some((own.at, own.variant.model?)))
        .collect();
    marks.push(Mark {
        hollow: true,
        ..Mark::dots(after, "var(--axis)", 2.0)
    });
    for (place, (least, color)) in COLOURS.iter().enumerate().rev() {
        let below = place
            .checked_sub(1)
            .map_or(f64::INFINITY, |at| COLOURS[at].0);
        let own = drawn.iter().copied();
        let own = own.filter(|own| (*least..below).contains(&own.r_squared));
        let points: Points = own.filter_map(|own| null(&own)).collect();
        if !points.is_empty() {
            marks.push(Mark::dots(points, color, 2.4));
        }
    }
    let of_set: Points = drawn
        .iter()
        .filter(|own| own.is_member)
        .filter_map(null)
        .collect();
    if !of_set.is_empty() {
        marks.push(Mark {
            hollow: true,
            ..Mark::dots(of_set, "var(--ink)", 4.4)
        });
    }
    marks.push(Mark {
        names: vec![within(&chosen.name, SIGNS)],
        ..Mark::dots(
            chosen
                .null
                .map(|own| (chosen.position as f64 / 1e6, own))
                .into_iter()
                .collect(),
            "var(--d)",
            3.6,
        )
    });
    marks.push(Mark::rule(Shape::Across(0.0), "var(--axis)"));
    let mut legend: Vec<Key> = COLOURS
        .iter()
        .map(|(least, color)| (*color, DOT, format!("r² ≥ {least}")))
        .collect();
    legend.push(("var(--d)", DOT, "the chosen variant".to_owned()));
    legend.push(("var(--ink)", DOT, "ring: in its credible set".to_owned()));
    legend.push((
        "var(--axis)",
        DOT,
        "small ring: beside the chosen model".to_owned(),
    ));
    let chromosome = &*scan.chromosomes[chosen.chromosome];
    let label = format!("Mb on chromosome {chromosome}");
    body.figure(Figure {
        title: format!("Around {}", chosen.name),
        alt: format!("−log10 p of {total} variants around {}", chosen.name),
        caption: format!(
            "−log10 p within {} kb on either side, beside {beside}, by r² with the chosen variant.{}",
            REGION / 1000,
            left_out(drawn.len(), total)
        ),
        legend,
        svg: plane(marks, (&label, Scale::Points), ("−log10 p", Scale::Points)),
        data: Table::of(&drawn)
            .column("variant", |own| text(&*own.variant.name))
            .column("position", |own| text(own.variant.position.to_string()))
            .column("minus_log10_p", |own| exact(own.variant.null))
            .column("beside_model", |own| exact(own.variant.model))
            .column("r_squared", |own| exact(own.r_squared))
            .column("in_set", |own| count(usize::from(own.is_member)))
            .data(drawn.len()),
        ..Figure::default()
    });
}
