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
        self.all().find(|own| own.0 == name).map(|own| own.1())
    }

    /// All variants by name, each with what makes its locus.
    pub fn all(&self) -> impl Iterator<Item = (&str, impl Fn() -> Locus)> {
        self.0.lines().map(|line| {
            let (name, rest) = line.split_once('\t').unwrap_or((line, ""));
            let locus = move || {
                let mut fields = rest.split('\t');
                let mut next = || fields.next().unwrap_or_default();
                Locus {
                    chromosome: next().to_owned(),
                    position: next().parse().unwrap_or_default(),
                    counted_allele: next().to_owned(),
                    other_allele: next().to_owned(),
                }
            };
            (name, locus)
        })
    }
}
