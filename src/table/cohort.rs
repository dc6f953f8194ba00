//! Which people and variants of files of genotypes are wanted, and what stands beside them.

use std::{fmt, path::PathBuf};

use crate::genotypes::GenotypeEncoding;

/// What belongs to genotypes beside their own three files. The default is all people and variants, with the phenotype of
/// the `.fam`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cohort {
    /// Files of genotypes of the same people, whose variants follow those of the data: one for each chromosome, say.
    pub merge: Vec<PathBuf>,
    /// A table of phenotypes, which takes the place of that of the `.fam`.
    pub phenotype: Option<BesidePeople>,
    /// A table of covariates, which every model holds.
    pub covariates: Option<BesidePeople>,
    /// A file of the people that alone are used.
    pub keep_people: Option<PathBuf>,
    /// A file of people that are left out.
    pub remove: Option<PathBuf>,
    /// A file of the variants that alone are used.
    pub extract: Option<PathBuf>,
    /// A file of variants that are left out.
    pub exclude: Option<PathBuf>,
    /// The names of the variants that alone are used; `None` for all.
    pub names: Option<Vec<String>>,
    /// The chromosomes that are used; all where none is named.
    pub chromosomes: Vec<String>,
    /// The part of a chromosome that is used.
    pub range: Option<ChromosomeRange>,
    /// The least frequency of the rarer allele, 0 … ½.
    pub least_frequency: Option<f64>,
    /// The largest share of people whose genotype is missing, 0 … 1.
    pub most_missing: Option<f64>,
    /// What a genotype counts as.
    pub encoding: GenotypeEncoding,
    /// The folder of a temporary file that holds genotypes in the place of memory.
    pub scratch: Option<PathBuf>,
}

/// A table with a row for each person, found by the ids in its first columns: FID and IID, or IID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BesidePeople {
    /// The file.
    pub path: PathBuf,
    /// The columns that are used; all of them where none is named.
    pub columns: Vec<String>,
    /// Columns that are used too if they are there.
    pub also: Vec<String>,
}

/// A part of a chromosome: its name, with the first and the last base pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChromosomeRange {
    /// The chromosome.
    pub chromosome: String,
    /// The first base pair.
    pub from: i64,
    /// The last base pair.
    pub to: i64,
}

impl GenotypeEncoding {
    /// All, the default first.
    pub const ALL: [Self; 4] = [
        Self::Additive,
        Self::Dominant,
        Self::Recessive,
        Self::Genotypic,
    ];

    /// Its name, as options have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Additive => "additive",
            Self::Dominant => "dominant",
            Self::Recessive => "recessive",
            Self::Genotypic => "genotypic",
        }
    }

    /// The encoding of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.name() == name)
    }
}

impl Cohort {
    /// The options that are given, as they are written, with the files that they name.
    pub fn given(&self) -> Vec<(&'static str, Option<&PathBuf>)> {
        let files = [
            ("phenotype", self.phenotype.as_ref().map(|own| &own.path)),
            ("covariates", self.covariates.as_ref().map(|own| &own.path)),
            ("keep-people", self.keep_people.as_ref()),
            ("remove", self.remove.as_ref()),
            ("extract", self.extract.as_ref()),
            ("exclude", self.exclude.as_ref()),
        ];
        let others = [
            ("chromosome", !self.chromosomes.is_empty()),
            ("range", self.range.is_some()),
            ("maf", self.least_frequency.is_some()),
            ("max-missing", self.most_missing.is_some()),
            ("encode", self.encoding != GenotypeEncoding::Additive),
            ("scratch", self.scratch.is_some()),
        ];
        let merged = self.merge.iter().map(|file| ("merge", Some(file)));
        let files = merged.chain(files.into_iter().filter(|(_, file)| file.is_some()));
        let others = others.into_iter().filter(|(_, is_given)| *is_given);
        files.chain(others.map(|(name, _)| (name, None))).collect()
    }
}

/// A name of a chromosome without the `chr` that some files write before it.
pub(super) fn bare(chromosome: &str) -> &str {
    match chromosome.get(..3) {
        Some(start) if start.eq_ignore_ascii_case("chr") => &chromosome[3..],
        _ => chromosome,
    }
}

impl ChromosomeRange {
    pub(super) fn holds(&self, chromosome: &str, at: i64) -> bool {
        bare(chromosome).eq_ignore_ascii_case(bare(&self.chromosome))
            && (self.from..=self.to).contains(&at)
    }
}

impl fmt::Display for ChromosomeRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            chromosome,
            from,
            to,
        } = self;
        write!(f, "{chromosome}:{from}-{to}")
    }
}
