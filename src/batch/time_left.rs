//! How long the jobs that are left may take, by how long similar ones took.

use std::{collections::HashMap, path::Path};

use super::times::LastEnd;
use crate::{
    job::file::{JobFile, PlannedJob},
    progress::RunningJob,
};

/// Estimates how long the jobs that are left may take. Jobs on the same data, of the same command and
/// method, are taken to last as long as those of them that have ended did on average.
#[derive(Debug, Default)]
pub(super) struct TimeLeft<'a> {
    group_of: HashMap<&'a str, usize>,
    groups: Vec<Group>,
}

#[derive(Debug, Default, Clone)]
struct Group {
    /// The number of jobs that have ended, and how long they took in all.
    ended: usize,
    seconds: f64,
    /// The number of jobs that have not ended yet.
    left: usize,
}

impl Group {
    fn mean(&self) -> Option<f64> {
        (self.ended > 0).then(|| self.seconds / self.ended as f64)
    }
}

impl<'a> TimeLeft<'a> {
    /// Knows how the jobs of a file ended the last time; `left` are the names of those to do.
    pub(super) fn new(
        file: &'a JobFile,
        last_ends: &HashMap<String, LastEnd>,
        left: impl Iterator<Item = &'a str>,
    ) -> Self {
        let kind = |job: &'a PlannedJob| -> (&'a Path, _, &'a str) {
            let task = job.task.job();
            (&task.data, job.task.command().name(), &task.method)
        };
        let (mut numbers, mut group_of) = (HashMap::new(), HashMap::new());
        let mut groups: Vec<Group> = Vec::new();
        for job in &file.jobs {
            let number = *numbers.entry(kind(job)).or_insert_with(|| {
                groups.push(Group::default());
                groups.len() - 1
            });
            group_of.insert(&*job.id, number);
            let done = last_ends.get(&job.id).filter(|end| end.error.is_none());
            if let Some(seconds) = done.and_then(|end| end.seconds) {
                groups[number].ended += 1;
                groups[number].seconds += seconds;
            }
        }
        for job in left {
            groups[group_of[job]].left += 1;
        }
        Self { group_of, groups }
    }

    /// Takes note that a job ended after so many seconds.
    pub(super) fn end(&mut self, job: &str, seconds: f64) {
        if let Some(number) = self.group_of.get(job) {
            let group = &mut self.groups[*number];
            group.left = group.left.saturating_sub(1);
            group.ended += 1;
            group.seconds += seconds;
        }
    }

    /// How many seconds the jobs that are left may take, of which some run and so many run at a time;
    /// `None` while nothing is known of any.
    pub(super) fn seconds(&self, running: &[RunningJob], at_once: usize) -> Option<f64> {
        let ended: usize = self.groups.iter().map(|group| group.ended).sum();
        let seconds: f64 = self.groups.iter().map(|group| group.seconds).sum();
        let overall = (ended > 0).then(|| seconds / ended as f64)?;
        let mean = |group: &Group| group.mean().unwrap_or(overall);
        let whole = self
            .groups
            .iter()
            .map(|group| group.left as f64 * mean(group));
        let whole: f64 = whole.sum();
        let (mut behind, mut longest) = (0.0, 0.0_f64);
        for job in running {
            let number = self.group_of.get(&*job.job);
            let expected = number.map_or(overall, |number| mean(&self.groups[*number]));
            behind += job.seconds.min(expected);
            longest = longest.max(expected - job.seconds);
        }
        let left: usize = self.groups.iter().map(|group| group.left).sum();
        let at_once = at_once.min(left).max(1);
        Some(((whole - behind).max(0.0) / at_once as f64).max(longest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(job: &str, seconds: f64) -> RunningJob {
        RunningJob {
            job: job.to_owned(),
            since: String::new(),
            seconds,
            threads: 1,
            stage: None,
        }
    }

    #[test]
    fn similar_jobs_take_as_long_as_those_that_ended() {
        let mut left = TimeLeft {
            group_of: HashMap::from([("a", 0), ("b", 0), ("c", 0), ("x", 1), ("z", 1)]),
            groups: vec![Group::default(); 2],
        };
        left.groups[0].left = 3;
        left.groups[1].left = 2;
        assert_eq!(left.seconds(&[], 1), None);
        left.end("a", 10.0);
        // Nothing is known of the second group but what the first says.
        assert_eq!(left.seconds(&[], 1), Some(40.0));
        left.end("x", 100.0);
        assert_eq!(left.seconds(&[], 1), Some(10.0 + 10.0 + 100.0));
        assert_eq!(left.seconds(&[running("b", 4.0)], 1), Some(116.0));
        // Two at a time, but the longest has 70 s of its own left.
        assert_eq!(left.seconds(&[running("z", 30.0)], 2), Some(70.0));
        // What takes longer than expected is about to end.
        assert_eq!(left.seconds(&[running("z", 300.0)], 1), Some(20.0));
        for job in ["b", "c", "z"] {
            left.end(job, 1.0);
        }
        assert_eq!(left.seconds(&[], 4), Some(0.0));
    }
}
