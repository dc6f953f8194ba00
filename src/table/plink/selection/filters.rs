//! Which variants the filters by frequency and missing genotypes leave out.

use std::mem;

use super::super::variants::Variants;
use super::{Selection, Verdict};
use crate::table::{Cohort, TableError, Values};

impl Selection<'_> {
    /// Where ranks partition the variants that pass filters: judges a share of all by them, and goes on as if none but
    /// those that pass were wanted. Each rank reads its share for it, and then what it is to hold.
    ///
    /// # Errors
    /// As `read`, by which the variants of a share are read; a lost rank.
    pub(in super::super) fn filter_over_ranks(
        &mut self,
        variants: &mut Variants,
        mut read: impl FnMut(&mut Self, &Variants) -> Result<Vec<Option<Values>>, TableError>,
    ) -> Result<(), TableError> {
        let filters = self.input.options.cohort;
        let has_filters =
            filters.is_some_and(|own| own.least_frequency.is_some() || own.most_missing.is_some());
        let Some(communicator) = self.input.partition.communicator else {
            return Ok(());
        };
        if !has_filters || communicator.size() == 1 {
            return Ok(());
        }
        let share = communicator.local_range(self.tested);
        let mut number = 0..;
        let own = variants
            .wanted
            .iter()
            .map(|wanted| *wanted && number.next().is_some_and(|number| share.contains(&number)));
        self.own = own.collect();
        let memory = self.input.options.memory;
        let held = memory.map(|memory| (memory, memory.bytes()));
        let read = read(self, variants)?.into_iter();
        let passes = read.filter(|own| !matches!(own, Some(Values::Remote)));
        let passes: Vec<bool> = passes.map(|own| own.is_some()).collect();
        // What was read to be counted is gone again.
        if let Some((memory, bytes)) = held {
            let set = memory.set(bytes, "the table");
            set.map_err(|error| self.input.refused(error))?;
        }
        let failed = mem::take(&mut self.failed);
        let all = communicator.gather(&(passes, (failed.rare, failed.missing)));
        let (mut passes, mut all_failed) = (Vec::with_capacity(self.tested), Failed::default());
        for (own, (rare, missing)) in all.map_err(TableError::Ranks)? {
            passes.extend(own);
            all_failed.rare += rare;
            all_failed.missing += missing;
        }
        let tested = self.tested;
        let mut passes = passes.into_iter();
        for wanted in variants.wanted.iter_mut().filter(|wanted| **wanted) {
            *wanted = passes.next().unwrap_or(false);
        }
        self.take_own(variants);
        (self.tested, self.failed) = (tested, all_failed);
        Ok(())
    }

    /// What a user should know of the variants that the filters leave out, and whether they leave out all.
    pub(in super::super) fn left_out(&self) -> (Option<String>, bool) {
        let tested = self.tested;
        let message = self
            .input
            .options
            .cohort
            .and_then(|cohort| self.failed.told(cohort, tested));
        (message, tested > 0 && self.failed.count() == tested)
    }

    /// Which filter leaves out a variant of so many missing values and this frequency of the rarer allele.
    pub(super) fn filter(
        &self,
        cohort: &Cohort,
        missing: usize,
        frequency: f64,
    ) -> Option<Verdict> {
        let missing = missing as f64 / self.n as f64;
        if cohort.most_missing.is_some_and(|most| missing > most) {
            return Some(Verdict::Missing);
        }
        // Of nobody known the frequency is no number, and not below the least.
        let least = cohort.least_frequency?;
        (frequency < least).then_some(Verdict::Rare)
    }
}

/// How many variants the filters leave out.
#[derive(Default)]
pub(super) struct Failed {
    pub(super) rare: usize,
    pub(super) missing: usize,
}

impl Failed {
    fn count(&self) -> usize {
        self.rare + self.missing
    }

    fn told(&self, cohort: &Cohort, tested: usize) -> Option<String> {
        let missing = cohort.most_missing.map(|most| {
            format!(
                "{} miss more than {most} of the people (--max-missing)",
                self.missing
            )
        });
        let rare = cohort.least_frequency.map(|least| {
            format!(
                "{} have a minor allele frequency below {least} (--maf)",
                self.rare
            )
        });
        let reasons: Vec<String> = missing.into_iter().chain(rare).collect();
        let count = self.count();
        (count > 0).then(|| {
            let were = if count == 1 { "was" } else { "were" };
            format!(
                "{count} of {tested} variants {were} left out: {}",
                reasons.join(", ")
            )
        })
    }
}
