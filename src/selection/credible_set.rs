//! What could stand in the place of a chosen variable, by weight.

use serde::{Deserialize, Serialize};

use super::number_or_nan;

/// Members that a report lists behind those of the set.
const BEHIND: usize = 20;

/// The chosen variable and those that could stand in its place, all others staying: members of largest weight, which the
/// first `size` of them share as far as the level says.
///
/// The weight exp(−Δ/2) of each, over the sum of it, is about the posterior probability that it is this one if one of
/// them stands here, as far as exp(−φ/2) is about that of a model.
///
/// *Source:* G. Wang, A. Sarkar, P. Carbonetto, M. Stephens, A simple new approach to variable selection in regression,
/// with application to genetic fine mapping, Journal of the Royal Statistical Society B 82 (2020), section 3.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CredibleSet {
    /// The least weight of the set, between 0 and 1.
    pub level: f64,
    /// How many members are in the set: the first so many, the fewest whose weights reach the level, or all that are
    /// listed.
    pub size: usize,
    /// The sum of their weights.
    #[serde(deserialize_with = "number_or_nan")]
    pub weight: f64,
    /// The least r² between two of them; 1 of one alone, none of sets of more than a hundred.
    pub purity: Option<f64>,
    /// Candidates that could stand here, the chosen variable among them: those whose φ is at most 20 higher.
    pub alternatives: usize,
    /// The chosen variable and its alternatives, of largest weight first, as far as .999 of the weight, at most 500. A
    /// report has the set and at most 20 more.
    pub members: Vec<SetMember>,
}

/// A variable that could stand in the place of a chosen one, or this itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SetMember {
    /// The variable's name.
    pub name: String,
    /// Of a copy of a candidate, which was set aside, the candidate's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy_of: Option<String>,
    /// Of a variant its chromosome, as the file names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chromosome: Option<String>,
    /// Its base pair.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<i64>,
    /// The allele whose copies are counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counted_allele: Option<String>,
    /// The other allele.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_allele: Option<String>,
    /// The frequency of the rarer allele among the people whose genotype is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maf: Option<f64>,
    /// The weight, in 0 … 1.
    #[serde(deserialize_with = "number_or_nan")]
    pub weight: f64,
    /// Δ, by how much φ rises if it stands in the place of the chosen variable.
    #[serde(deserialize_with = "number_or_nan")]
    pub delta: f64,
    /// The squared correlation with the chosen variable, by the regression's weights; without an intercept about zero.
    #[serde(deserialize_with = "number_or_nan")]
    pub r_squared: f64,
    /// The least r² between two of the members down to this one; none beyond the hundredth.
    pub purity: Option<f64>,
}

impl CredibleSet {
    /// Takes as many members as reach a level between 0 and 1.
    pub(super) fn set_level(&mut self, level: f64) {
        self.level = level;
        (self.size, self.weight) = (0, 0.0);
        for own in &self.members {
            if self.weight >= level {
                break;
            }
            self.size += 1;
            self.weight += own.weight;
        }
        self.weight = self.weight.min(1.0);
        let last = self.size.checked_sub(1).and_then(|at| self.members.get(at));
        self.purity = last.and_then(|own| own.purity);
    }

    /// Leaves out what stands further behind the set than a report lists.
    pub(super) fn shorten(&mut self) {
        self.members.truncate(self.size.saturating_add(BEHIND));
    }

    /// The members that are in the set.
    pub fn set(&self) -> &[SetMember] {
        &self.members[..self.size.min(self.members.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_lists_the_set_and_twenty_more() {
        let member = |at: usize| SetMember {
            name: format!("rs{at}"),
            weight: 1.0 / 400.0,
            ..SetMember::default()
        };
        for (level, size) in [(0.5, 200), (0.9, 360), (0.995, 398)] {
            let mut set = CredibleSet {
                members: (0..400).map(member).collect(),
                ..CredibleSet::default()
            };
            set.set_level(level - 1e-9);
            let (all, of_set) = (set.members.clone(), set.set().to_vec());
            assert_eq!(set.size, size);
            set.shorten();
            assert_eq!(set.members, all[..(size + 20).min(400)]);
            assert_eq!(set.set(), of_set);
        }
    }
}
