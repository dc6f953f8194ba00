//! Where variants lie, and their alleles.

use std::collections::BTreeMap;

use memchr::memmem;

use crate::genotypes::GenotypeEncoding;

/// Where the variants of a file lie, and their alleles, found by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loci {
    /// A line for each.
    lines: String,
    /// Of those with dosages, by name, how many people have the mean of the others.
    dosages: BTreeMap<String, usize>,
    /// What a genotype counts as.
    pub(super) encoding: GenotypeEncoding,
}

/// Where a variant lies, and its alleles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locus {
    /// The chromosome, as the file names it.
    pub chromosome: String,
    /// The base pair.
    pub position: i64,
    /// The allele of which copies are counted, A1 of a `.bim`.
    pub counted_allele: String,
    /// The other allele.
    pub other_allele: String,
}

impl Loci {
    /// Those of lines, one a variant: its name, chromosome, base pair, the counted allele and the other one, between tabulators.
    pub(super) fn of_lines(lines: String) -> Self {
        Self {
            lines,
            ..Self::default()
        }
    }

    /// Says that a variant has dosages.
    pub(super) fn mark_dosages(&mut self, name: &str) {
        self.dosages.insert(name.to_owned(), 0);
    }

    /// Says how many people have the mean of the others, if the variant has dosages.
    pub(super) fn count_missing(&mut self, name: &str, count: usize) {
        if let Some(missing) = self.dosages.get_mut(name) {
            *missing = count;
        }
    }

    /// How many people lack a variant's dosage; `None` where it has none.
    pub(crate) fn missing_dosages(&self, name: &str) -> Option<usize> {
        self.dosages.get(name).copied()
    }

    pub(super) fn bytes(&self) -> usize {
        self.lines.capacity()
    }

    /// What a genotype counts as.
    pub fn encoding(&self) -> GenotypeEncoding {
        self.encoding
    }

    /// The locus of a variant.
    pub fn of(&self, name: &str) -> Option<Locus> {
        if name.contains(['\t', '\n']) {
            return None;
        }
        // A search for bytes is many times as fast as a look at every line.
        let start = format!("\n{name}\t");
        let at = match self.lines.starts_with(&start[1..]) {
            true => 0,
            false => memmem::find(self.lines.as_bytes(), start.as_bytes())? + 1,
        };
        let line = self.lines.get(at..)?.lines().next()?;
        Some(locus(line.split_once('\t')?.1))
    }

    /// All variants by name, each with what makes its locus.
    pub fn all(&self) -> impl Iterator<Item = (&str, impl Fn() -> Locus)> {
        self.lines.lines().map(|line| {
            let (name, rest) = line.split_once('\t').unwrap_or((line, ""));
            (name, move || locus(rest))
        })
    }
}

/// The locus that stands behind a name.
fn locus(text: &str) -> Locus {
    let mut fields = text.split('\t');
    let mut next = || fields.next().unwrap_or_default();
    Locus {
        chromosome: next().to_owned(),
        position: next().parse().unwrap_or_default(),
        counted_allele: next().to_owned(),
        other_allele: next().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locus_is_found_by_the_whole_name_alone() {
        let lines = "a\t1\t7\tA\tG\nba\t2\t8\tC\tT\nb\tX\t-9\tG\tA\n1\ta\t5\tT\tC\n";
        let loci = Loci::of_lines(lines.to_owned());
        for (name, own) in loci.all() {
            assert_eq!(loci.of(name), Some(own()), "{name}");
        }
        assert_eq!(loci.of("b").map(|own| own.position), Some(-9));
        for name in ["", "c", "7", "A", "a\t1", "\na", "ba\t2\t8"] {
            assert_eq!(loci.of(name), None, "{name:?}");
        }
    }
}
