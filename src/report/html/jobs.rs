//! The page of a run of jobs: how they ended, how their methods compare, and each of them.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use super::{
    compare::{agreement, comparison, groups},
    counted,
    gathered::{JobsPage, K, NUMBERS, PSR, Row},
    page::{Body, document},
    paths::paths,
};
use crate::report::table::{Cell, Table, count, number, text};

/// Failures, and warnings, that are listed first; the table and the results have the others.
const LISTED: usize = 20;

/// Bytes that a page may have with the results of jobs.
const BYTES: usize = 1_600_000;

impl JobsPage {
    /// The HTML of the page.
    pub fn page(self) -> String {
        let (mut head, mut main) = (Body::default(), Body::default());
        let (done, all) = (self.with_status("done"), self.rows.len());
        head.lead(&format!("{done} of {} done.", counted(all, "job", "jobs")));
        self.facts(&mut head);
        head.notes(&self.notes());
        let groups = groups(&self);
        comparison(&mut main, &groups);
        agreement(&mut main, &self, groups);
        paths(&mut main, &self);
        self.often(&mut main);
        self.table(&mut main);
        self.each(&mut main);
        document("Run of jobs", &self.file, head, main)
    }

    fn with_status(&self, status: &str) -> usize {
        let rows = self.rows.iter();
        rows.filter(|row| row.job.status == status).count()
    }

    fn facts(&self, body: &mut Body) {
        let few = |all: BTreeSet<&str>| -> String {
            let first: Vec<&str> = all.iter().take(4).copied().collect();
            match all.len() {
                0..=4 => first.join(", "),
                count => format!("{}, … {} more", first.join(", "), count - 4),
            }
        };
        let of_all = |value: &dyn Fn(&Row) -> &str| few(self.rows.iter().map(value).collect());
        let mut facts = vec![
            ("job file", self.file.clone()),
            ("data", of_all(&|row| &row.job.data)),
        ];
        for label in ["command", "method", "criterion"] {
            if let Some(at) = self.place(label) {
                let all = self.rows.iter().map(|row| row.job.options[at].as_str());
                let all: BTreeSet<&str> = all.filter(|value| !value.is_empty()).collect();
                facts.extend((!all.is_empty()).then(|| (label, few(all))));
            }
        }
        facts.push(("seeds", self.seeds()));
        for (label, all) in [
            ("devices", &self.devices),
            ("versions of passel", &self.versions),
        ] {
            // Where no job is done there is none.
            let all: BTreeSet<&str> = all.iter().map(String::as_str).collect();
            facts.extend((!all.is_empty()).then(|| (label, few(all))));
        }
        body.facts(&facts);
    }

    /// Failures, jobs that are not done, and warnings.
    fn notes(&self) -> Vec<String> {
        let mut failures: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.job.status == "failed") {
            failures
                .entry(&row.job.message)
                .or_default()
                .push(&row.job.id);
        }
        let failed = failures.iter().take(LISTED);
        let failed = failed.map(|(message, jobs)| match jobs.len() {
            1 => format!("{} failed: {message}", jobs[0]),
            count => {
                let others = counted(count - 1, "other", "others");
                format!("{} and {others} failed: {message}", jobs[0])
            }
        });
        let mut notes: Vec<String> = failed.collect();
        if failures.len() > LISTED {
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
                notes.push(format!("{}: {why}", counted(count, "job", "jobs")));
            }
        }
        let mut warned: Vec<(&String, &usize)> = self.warnings.iter().collect();
        warned.sort_by_key(|(_, jobs)| Reverse(*jobs));
        let listed = warned.iter().take(LISTED);
        notes.extend(listed.map(|(warning, jobs)| match self.rows.len() {
            1 => (*warning).clone(),
            _ => format!("{}: {warning}", counted(**jobs, "job", "jobs")),
        }));
        if warned.len() > LISTED {
            let more = warned.len() - LISTED;
            notes.push(format!(
                "{more} warnings more of fewer jobs: their results have them"
            ));
        }
        notes
    }

    fn seeds(&self) -> String {
        let seeds = self.place("seed").map(|at| {
            let seeds = self.rows.iter();
            let seeds = seeds.filter_map(|row| row.job.options[at].parse().ok());
            seeds.collect::<BTreeSet<u64>>()
        });
        let all = seeds.unwrap_or_default();
        match (all.first(), all.last()) {
            (Some(first), Some(last)) if first == last => first.to_string(),
            (Some(first), Some(last)) => format!("{first} … {last}, {} of them", all.len()),
            _ => "–".to_owned(),
        }
    }

    /// How many jobs chose each variable of each data set.
    fn often(&self, body: &mut Body) {
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
        if jobs.values().all(|jobs| *jobs < 2) {
            return;
        }
        let rows = counts
            .into_iter()
            .map(|((data, name), chose)| (data, name, chose, jobs[data]));
        let mut rows: Vec<(&str, u32, usize, usize)> = rows.collect();
        rows.sort_by_key(|row| (row.0, Reverse(row.2)));
        let table = Table::of(rows)
            .column("data", |row| text(row.0))
            .column("variable", |row| text(self.names.name(row.1)))
            .column("jobs", |row| count(row.2))
            .column("of", |row| count(row.3))
            .column("share", |row| number(row.2 as f64 / row.3 as f64, 3));
        let title = "How often each was chosen from its data, by whatever setting";
        body.section("Variables over all jobs");
        body.fold("", title, |body| {
            let title = "Variables by the jobs that chose them";
            body.table(title, "", &table, table.rows.len());
        });
    }

    fn table(&self, body: &mut Body) {
        let failed = self.with_status("failed") > 0;
        let mut table = Table::of(&self.rows)
            .column("job", |row| match row.job.status {
                "done" => Cell::Link(&row.job.id, format!("{}.json", row.job.id)),
                _ => text(&row.job.id),
            })
            .column("status", |row| text(row.job.status))
            .column_if(failed, "message", |row| text(&row.job.message));
        for (at, name) in NUMBERS.into_iter().enumerate() {
            let known = self.rows.iter().any(|row| row.numbers[at].is_some());
            table = table.column_if(known, name, move |row| match row.numbers[at] {
                Some(whole) if at <= K => count(whole as usize),
                rate @ Some(_) if at >= PSR => number(rate, 4),
                value => number(value, 6),
            });
        }
        table = table.column("data", |row| text(&row.job.data));
        for at in self.differing(true) {
            table = table.column(&*self.options[at], move |row| text(&row.job.options[at]));
        }
        body.section("Jobs");
        let caption = "Each leads to its result. jobs.csv has more of them, results.csv a row for each \
                       variable that a job chose.";
        body.table("All jobs", caption, &table, self.rows.len());
    }

    /// The results of jobs one by one, folded away.
    fn each(&self, body: &mut Body) {
        if self.detailed.is_empty() {
            return;
        }
        body.section("A job of each setting");
        body.text(
            "The first of each, from the stored results; a job with the options format = \"html\" and output \
             has a page of its own, with the course of the search and the residuals.",
        );
        let mut left_out = 0;
        for part in &self.detailed {
            match body.len() + part.len() > BYTES {
                true => left_out += 1,
                false => body.append(part),
            }
        }
        if left_out > 0 {
            body.text(&format!(
                "{} left out, for the page would be too large.",
                counted(left_out, "is", "are")
            ));
        }
    }
}
