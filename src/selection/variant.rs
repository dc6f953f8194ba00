//! What a geneticist asks of a chosen variant.

use serde::{Deserialize, Serialize};

/// A chosen variable that is genotypes or dosages.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SelectedVariant {
    /// The chromosome, as the file names it.
    pub chromosome: Option<String>,
    /// The base pair.
    pub position: Option<i64>,
    /// The allele of which the coefficient is an effect of one copy.
    pub counted_allele: Option<String>,
    /// The other allele.
    pub other_allele: Option<String>,
    /// The frequency of the counted allele among the people whose genotype is known, 0 … 1; of genotypes that count as
    /// dominant or recessive, and of dosages, half their mean, which weights weigh of dosages.
    pub frequency: f64,
    /// People whose genotype or dosage is missing, who have the mean of the others.
    pub missing: usize,
    /// The coefficient times the standard deviation (with divisor n) of the genotypes.
    ///
    /// *Units:* those of the response, or of the linear predictor.
    pub per_deviation: f64,
    /// By how much R² falls without the variant, beside the others; none of families.
    pub explained: Option<f64>,
    /// Variants that were set aside because they are its copies, with the alleles as here or exchanged.
    pub twins: Vec<String>,
}
