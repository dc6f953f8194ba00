//! What filters of genotypes say of variants.

use super::super::Cohort;

/// What the filters say of a variant.
pub(super) enum Verdict {
    Passes,
    Rare,
    Missing,
}

/// How many variants the filters leave out.
#[derive(Default)]
pub(super) struct Failed {
    pub(super) rare: usize,
    pub(super) missing: usize,
}

impl Failed {
    pub(super) fn count(&self) -> usize {
        self.rare + self.missing
    }

    /// How many were left out of those that were tested, and why; `None` if none was.
    pub(super) fn told(&self, cohort: Option<&Cohort>, tested: usize) -> Option<String> {
        let cohort = cohort?;
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
