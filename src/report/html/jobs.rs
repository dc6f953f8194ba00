//! The page of a run of jobs: how they ended, how their methods compare, and each of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    Kind, PageExtras,
    compare::{agreement, comparison, groups},
    gathered::{JobsPage, K, NUMBERS, PSR, Row},
    head,
    page::{Cell, Page, Table},
    paths::paths,
    sections,
    told::{list, of, shown, text},
};

/// Failures that are told first, and warnings; more are in the table and in the results.
const FAILURES: usize = 20;

/// Bytes that a page may have with the results of jobs.
const BYTES: usize = 1_600_000;

impl JobsPage {
    fn with_status(&self, status: &str) -> usize {
        self.rows
            .iter()
            .filter(|it| it.job.status == status)
            .count()
    }

    /// The page.
    pub fn page(self) -> String {
        let mut page = Page::new("Run of jobs", &self.file);
        self.head(&mut page);
        page.close_head();
        let groups = groups(&self);
        comparison(&mut page, &groups);
        agreement(&mut page, &self, groups);
        paths(&mut page, &self);
        self.often(&mut page);
        self.table(&mut page);
        self.each(&mut page);
        page.finish()
    }

    fn head(&self, page: &mut Page) {
        let all = self.rows.len();
        page.lead(&format!(
            "{} of {} done.",
            self.with_status("done"),
            of(all, "job", "jobs")
        ));
        let few = |all: BTreeSet<&str>| -> String {
            let count = all.len();
            let first: Vec<&str> = all.into_iter().take(4).collect();
            let more = if count > 4 {
                format!(", … {} more", count - 4)
            } else {
                String::new()
            };
            first.join(", ") + &more
        };
        let of_all = |what: &dyn Fn(&Row) -> &str| few(self.rows.iter().map(what).collect());
        let mut facts = vec![
            ("job file", self.file.clone()),
            ("data", of_all(&|it| &it.job.data)),
        ];
        for label in ["command", "method", "criterion"] {
            if let Some(at) = self.place(label) {
                let all = self.rows.iter().map(|it| it.job.options[at].as_str());
                let all: BTreeSet<&str> = all.filter(|it| !it.is_empty()).collect();
                facts.extend((!all.is_empty()).then(|| (label, few(all))));
            }
        }
        facts.push(("seeds", self.seeds()));
        for (label, all) in [
            ("devices", &self.devices),
            ("versions of passel", &self.versions),
        ] {
            // Where nothing was done there is none.
            let all: BTreeSet<&str> = all.iter().map(String::as_str).collect();
            facts.extend((!all.is_empty()).then(|| (label, few(all))));
        }
        page.facts(&facts);
        let mut notes = Vec::new();
        let mut why: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for it in self.rows.iter().filter(|it| it.job.status == "failed") {
            why.entry(&it.job.message).or_default().push(&it.job.id);
        }
        notes.extend(
            why.iter()
                .take(FAILURES)
                .map(|(message, jobs)| match jobs.len() {
                    1 => format!("{} failed: {message}", jobs[0]),
                    count => format!(
                        "{} and {} failed: {message}",
                        jobs[0],
                        of(count - 1, "other", "others")
                    ),
                }),
        );
        if why.len() > FAILURES {
            notes.push("others failed too: the table of jobs has why".to_owned());
        }
        for (status, why) in [
            (
                "stale",
                "out of date: what is told of them is nothing until they are run again",
            ),
            ("missing", "not done"),
        ] {
            if let count @ 1.. = self.with_status(status) {
                notes.push(format!("{}: {why}", of(count, "job", "jobs")));
            }
        }
        let mut warned: Vec<(&String, &usize)> = self.warnings.iter().collect();
        warned.sort_by_key(|it| std::cmp::Reverse(it.1));
        let more = warned.len().saturating_sub(FAILURES);
        warned.truncate(FAILURES);
        notes.extend(
            warned
                .into_iter()
                .map(|(warning, count)| match self.rows.len() {
                    1 => warning.clone(),
                    _ => format!("{}: {warning}", of(*count, "job", "jobs")),
                }),
        );
        if more > 0 {
            notes.push(format!(
                "{more} warnings more of fewer jobs: their results have them"
            ));
        }
        page.notes(&notes);
    }

    fn seeds(&self) -> String {
        let Some(at) = self.place("seed") else {
            return "–".to_owned();
        };
        let numbers = self
            .rows
            .iter()
            .filter_map(|it| it.job.options[at].parse().ok());
        let all: BTreeSet<u64> = numbers.collect();
        match (all.first(), all.last()) {
            (Some(first), Some(last)) if first == last => first.to_string(),
            (Some(first), Some(last)) => format!("{first} … {last}, {} of them", all.len()),
            _ => "–".to_owned(),
        }
    }

    /// How many jobs chose each variable of each data set.
    fn often(&self, page: &mut Page) {
        let mut jobs: BTreeMap<&str, usize> = BTreeMap::new();
        let mut counts: BTreeMap<(&str, u32), usize> = BTreeMap::new();
        for row in &self.rows {
            let data = row.job.data.as_str();
            let Some(chosen) = &row.chosen else {
                continue;
            };
            *jobs.entry(data).or_default() += 1;
            for variable in chosen {
                *counts.entry((data, *variable)).or_default() += 1;
            }
        }
        if jobs.values().all(|it| *it < 2) {
            return;
        }
        let mut counts: Vec<((&str, u32), usize)> = counts.into_iter().collect();
        counts.sort_by_key(|it| (it.0.0, std::cmp::Reverse(it.1)));
        let rows = counts
            .iter()
            .take(super::page::ROWS)
            .map(|((data, number), count)| {
                let all = jobs.get(data).copied().unwrap_or(1);
                vec![
                    Cell::text(*data),
                    Cell::text(self.names.name(*number)),
                    Cell::count(*count),
                    Cell::count(all),
                    Cell::number(Some(*count as f64 / all as f64), 3),
                ]
            });
        page.section("Variables over all jobs");
        page.open_lid(
            "",
            "How often each was chosen from its data, by whatever setting",
        );
        page.table(&Table {
            title: "Variables by the jobs that chose them",
            caption: "",
            names: ["data", "variable", "jobs", "of", "share"]
                .map(str::to_owned)
                .to_vec(),
            rows: rows.collect(),
            of: counts.len(),
        });
        page.close_lid();
    }

    fn table(&self, page: &mut Page) {
        let options = self.differing(true);
        let numbers: Vec<usize> = (0..NUMBERS.len())
            .filter(|at| self.rows.iter().any(|it| it.numbers[*at].is_some()))
            .collect();
        let failed = self.with_status("failed") > 0;
        let mut names = ["job", "status"].map(str::to_owned).to_vec();
        names.extend(failed.then(|| "message".to_owned()));
        names.extend(numbers.iter().map(|at| NUMBERS[*at].0.to_owned()));
        names.push("data".to_owned());
        names.extend(options.iter().map(|at| self.options[*at].clone()));
        let rows = self.rows.iter().take(super::page::ROWS).map(|it| {
            let job = &it.job;
            let name = match job.status {
                "done" => Cell::Link(job.id.clone(), format!("{}.json", job.id)),
                _ => Cell::text(&job.id),
            };
            let mut row = vec![name, Cell::text(job.status)];
            row.extend(failed.then(|| Cell::text(&job.message)));
            row.extend(numbers.iter().map(|at| match it.numbers[*at] {
                Some(count) if *at <= K => Cell::count(count as usize),
                Some(rate) if *at >= PSR => Cell::number(Some(rate), 4),
                number => Cell::number(number, 6),
            }));
            row.push(Cell::text(&job.data));
            row.extend(options.iter().map(|at| Cell::text(&job.options[*at])));
            row
        });
        page.section("Jobs");
        page.table(&Table {
            title: "All jobs",
            caption: "Each leads to its result. jobs.csv has more of them, results.csv a row for each \
                      variable that a job chose.",
            names,
            rows: rows.collect(),
            of: self.rows.len(),
        });
    }

    /// The results of jobs one by one, behind lids.
    fn each(&self, page: &mut Page) {
        if self.detailed.is_empty() {
            return;
        }
        page.section("A job of each setting");
        page.text(
            "The first of each, from the stored results; a job with the options format = \"html\" and output \
             has a page of its own, with the course of the search and the residuals.",
        );
        let mut left = 0;
        for (at, result) in &self.detailed {
            let job = &self.rows[*at].job;
            let mut part = page.part();
            part.open_lid("job", &format!("{}: {}", job.id, summary(result)));
            let kind = Kind::of(result);
            let mut facts = vec![("data", job.data.clone())];
            head(&mut part, result, kind, &mut facts);
            sections(&mut part, result, kind, &PageExtras::default());
            part.close_lid();
            if page.bytes() + part.bytes() > BYTES {
                left += 1;
                continue;
            }
            page.take(part);
        }
        if left > 0 {
            page.text(&format!(
                "{} left out, for the page would be too large.",
                of(left, "is", "are")
            ));
        }
    }
}

/// A result in a few words.
fn summary(result: &Value) -> String {
    match Kind::of(result) {
        Kind::Pairs => of(list(result, "pairs").len(), "pair", "pairs"),
        _ => {
            let chosen = list(result, "selected");
            let first: Vec<&str> = chosen.iter().take(4).map(|it| text(it, "name")).collect();
            let more = if chosen.len() > 4 { ", …" } else { "" };
            let count = shown(&result["k"]);
            match chosen.is_empty() {
                true => "nothing chosen".to_owned(),
                false => format!("{count} chosen ({}{more})", first.join(", ")),
            }
        }
    }
}
