//! Where variants lie, and their alleles.

/// Where the variants of a file lie, and their alleles: a line each, found by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loci(String);

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
    /// Takes up a variant. No part has a tabulator or a line end.
    pub(super) fn push(&mut self, name: &str, rest: [&str; 4]) {
        self.0.extend([
            name, "\t", rest[0], "\t", rest[1], "\t", rest[2], "\t", rest[3], "\n",
        ]);
    }

    pub(super) fn bytes(&self) -> usize {
        self.0.capacity()
    }

    /// The locus of a variant.
    pub fn of(&self, name: &str) -> Option<Locus> {
        let mut lines = self.0.lines().map(|line| line.split('\t'));
        let mut found = lines.find_map(|mut fields| (fields.next()? == name).then_some(fields))?;
        let mut next = || found.next().map(str::to_owned);
        Some(Locus {
            chromosome: next()?,
            position: next()?.parse().ok()?,
            counted_allele: next()?,
            other_allele: next()?,
        })
    }
}
