//! The page of a run of jobs: how they ended, how their methods compare, and each of them.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

use super::{
    compare::{agreement, comparison, groups},
    counted,
    gathered::{JobRow, JobsPage, K, NUMBERS, PSR},
    page::{Body, document},
    paths::paths,
};
use crate::report::{
    numbers::listed,
    table::{Cell, Table, count, number, text},
};

/// Failures, and warnings, that are listed first; the table and the results have the others.
const LISTED: usize = 20;

/// Bytes that a page may have with the results of jobs.
const BYTES: usize = 1_600_000;

impl JobsPage {
    /// The HTML of the page.
    pub fn page(self) -> String {
        let (mut head, mut main) = (Body::default(), Body::default());
        let (done, all) = (self.jobs("done").count(), self.rows.len());
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

    /// The jobs that stand so.
    fn jobs(&self, status: &str) -> impl Iterator<Item = &JobRow> {
        let jobs = self.rows.iter().map(|row| &row.job);
        jobs.filter(move |job| job.status == status)
    }

    fn facts(&self, body: &mut Body) {
        fn few<'a>(all: impl Iterator<Item = &'a String>) -> Option<String> {
            let all: BTreeSet<&String> = all.filter(|value| !value.is_empty()).collect();
            let first = listed(all.iter().take(4).map(|value| (*value).clone()));
            match all.len() {
                0 => None,
                1..=4 => Some(first),
                count => Some(format!("{first}, … {} more", count - 4)),
            }
        }
        let data = few(self.rows.iter().map(|row| &row.job.data));
        let mut facts = vec![
            ("job file", self.file.clone()),
            ("data", data.unwrap_or_default()),
        ];
        for label in ["command", "method", "criterion"] {
            let values = self
                .place(label)
                .and_then(|at| few(self.rows.iter().map(|row| &row.job.options[at])));
            facts.extend(values.map(|all| (label, all)));
        }
        facts.push(("seeds", self.seeds()));
        // Where no job is done there is none.
        facts.extend(few(self.devices.iter()).map(|all| ("devices", all)));
        facts.extend(few(self.versions.iter()).map(|all| ("versions of passel", all)));
        body.facts(&facts);
    }

    /// Failures, jobs that are not done, and warnings.
    fn notes(&self) -> Vec<String> {
        let mut failures: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for JobRow { id, message, .. } in self.jobs("failed") {
            failures.entry(message).or_default().push(id);
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
        let lacking = self.jobs("done").filter(|job| !job.message.is_empty());
        let lacking = lacking.map(|job| format!("{}: {}", job.id, job.message));
        notes.extend(lacking.take(LISTED));
        let stale = "out of date: what is told of them is nothing until they are run again";
        for (status, why) in [("stale", stale), ("missing", "not done")] {
            if let count @ 1.. = self.jobs(status).count() {
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
        if let more @ 1.. = warned.len().saturating_sub(LISTED) {
            let why = "of fewer jobs: their results have them";
            notes.push(format!("{more} warnings more {why}"));
        }
        notes
    }

    fn seeds(&self) -> String {
        let all = self.place("seed").into_iter().flat_map(|at| {
            let seeds = self.rows.iter();
            seeds.filter_map(move |row| row.job.options[at].parse().ok())
        });
        let all: BTreeSet<u64> = all.collect();
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
            let (data, chosen) = (&*row.job.data, row.chosen.iter());
            for variables in chosen {
                *jobs.entry(data).or_default() += 1;
                for variable in variables {
                    *counts.entry((data, *variable)).or_default() += 1;
                }
            }
        }
        if jobs.values().all(|jobs| *jobs < 2) {
            return;
        }
        let mut rows: Vec<((&str, u32), usize)> = counts.into_iter().collect();
        rows.sort_by_key(|((data, _), chose)| (*data, Reverse(*chose)));
        let table = Table::of(rows)
            .column("data", |row| text(row.0.0))
            .column("variable", |row| text(self.names.name(row.0.1)))
            .column("jobs", |row| count(row.1))
            .column("of", |row| count(jobs[row.0.0]))
            .column("share", |row| {
                number(row.1 as f64 / jobs[row.0.0] as f64, 3)
            });
        let title = "How often each was chosen from its data, by whatever setting";
        body.section("Variables over all jobs");
        body.fold("", title, |body| {
            let title = "Variables by the jobs that chose them";
            body.table(title, "", &table, table.rows.len());
        });
    }

    fn table(&self, body: &mut Body) {
        let has_messages = self.rows.iter().any(|row| !row.job.message.is_empty());
        let mut table = Table::of(&self.rows)
            .column("job", |row| match row.job.status {
                "done" => Cell::Link(&row.job.id, format!("{}.json", row.job.id)),
                _ => text(&row.job.id),
            })
            .column("status", |row| text(row.job.status))
            .column_if(has_messages, "message", |row| text(&row.job.message));
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
            let count = counted(left_out, "is", "are");
            let why = "for the page would be too large";
            body.text(&format!("{count} left out, {why}."));
        }
    }
}
