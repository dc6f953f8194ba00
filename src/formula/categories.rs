//! Functions of factors: `factor`, `ordered`, `relevel`, `C`.

use std::collections::HashMap;

use super::contrasts::{Contrast, ContrastChoice};
use super::error::Located;
use super::evaluate::Evaluator;
use super::expression::{Call, Expression, Kind};
use super::fault::Fault;
use super::functions::{Matched, match_arguments};
use super::learnt::Learnt;
use super::value::{FactorValue, Value};

/// What `contr` of `C()` must be.
const KINDS: &str = "contr.treatment, contr.sum, contr.helmert, contr.poly or contr.SAS";

impl<'d> Evaluator<'d> {
    /// Checks that every observation has one of a factor's levels.
    pub(super) fn check_codes(&self, factor: &FactorValue, of: &Expression) -> Result<(), Located> {
        let count = factor.levels.len();
        let missing = factor.codes.iter().position(|code| *code as usize >= count);
        missing.map_or(Ok(()), |row| {
            Err(of.span.fault(Fault::Missing {
                expression: of.to_string(),
                row: row + 1,
            }))
        })
    }

    /// The factor with its codes among other levels.
    ///
    /// # Errors
    /// The first observation whose level is none of them.
    pub(super) fn with_levels(
        &self,
        factor: FactorValue<'d>,
        levels: Vec<String>,
        of: &Expression,
    ) -> Result<FactorValue<'d>, Located> {
        self.check_codes(&factor, of)?;
        let codes = if *factor.levels == levels[..] {
            factor.codes
        } else {
            let places: HashMap<&str, u32> = levels.iter().map(String::as_str).zip(0..).collect();
            let new = factor
                .levels
                .iter()
                .map(|level| places.get(&**level).copied());
            let new: Vec<Option<u32>> = new.collect();
            let codes = factor.codes.iter().enumerate();
            let codes = codes.map(|(row, code)| {
                let code = *code as usize;
                new[code].ok_or_else(|| {
                    of.span.fault(Fault::NewLevel {
                        expression: of.to_string(),
                        level: factor.levels[code].clone(),
                        row: row + 1,
                        levels: levels.clone(),
                    })
                })
            });
            codes.collect::<Result<Vec<u32>, Located>>()?.into()
        };
        Ok(FactorValue {
            levels: levels.into(),
            codes,
            is_ordered: factor.is_ordered,
            contrast: factor.contrast,
        })
    }

    /// `factor(x, levels =, labels =, ordered =)` and `ordered(x, levels =, labels =)`.
    pub(super) fn factor(&mut self, call: &Call, of: &Expression) -> Result<Value<'d>, Located> {
        let names: &'static [&'static str] = match &*call.name {
            "factor" => &["x", "levels", "labels", "exclude", "ordered"],
            _ => &["x", "levels", "labels"],
        };
        let matched = match_arguments(call, of.span, names)?;
        let x = matched.require("x")?;
        let factor = self.value(x)?.into_factor(x)?;
        self.check_count(factor.codes.len(), x)?;
        self.check_codes(&factor, x)?;
        let given = self.text_list(&matched, "levels")?;
        let labels = self.text_list(&matched, "labels")?;
        let is_ordered = match &*call.name {
            "ordered" => true,
            _ => self.flag(&matched, "ordered", factor.is_ordered)?,
        };
        if matched.get("exclude").is_some() {
            return Err(matched.refuse("exclude", "left out: leave such observations out instead"));
        }
        let learn = || match given {
            None => Ok(Learnt::Levels(used_levels(&factor))),
            Some(levels) => {
                let different: std::collections::HashSet<&String> = levels.iter().collect();
                match different.len() == levels.len() {
                    true => Ok(Learnt::Levels(levels)),
                    false => Err(matched.refuse("levels", "texts or numbers, each once")),
                }
            }
        };
        let levels = self.learn(of, learn, levels_of)?;
        let mut factor = self.with_levels(factor, levels, x)?;
        factor.is_ordered = is_ordered;
        factor.contrast = None;
        match labels {
            Some(labels) => labelled(factor, &labels, &matched).map(Value::Factor),
            None => Ok(Value::Factor(factor)),
        }
    }

    /// `as.factor(x)` and `as.ordered(x)`.
    pub(super) fn as_factor(&mut self, call: &Call, of: &Expression) -> Result<Value<'d>, Located> {
        let matched = match_arguments(call, of.span, &["x"])?;
        let x = matched.require("x")?;
        let mut factor = self.any_as_factor(x, of)?;
        factor.is_ordered |= call.name == "as.ordered";
        Ok(Value::Factor(factor))
    }

    /// A factor as it is, or one made of numbers or truth values.
    fn any_as_factor(
        &mut self,
        x: &Expression,
        of: &Expression,
    ) -> Result<FactorValue<'d>, Located> {
        let value = self.value(x)?;
        if let Value::Factor(factor) = value {
            return Ok(factor);
        }
        let factor = value.into_factor(x)?;
        self.check_count(factor.codes.len(), x)?;
        self.check_codes(&factor, x)?;
        let learn = || Ok(Learnt::Levels(used_levels(&factor)));
        let levels = self.learn(of, learn, levels_of)?;
        self.with_levels(factor, levels, x)
    }

    /// `relevel(x, ref =)`.
    pub(super) fn relevelled(
        &mut self,
        call: &Call,
        of: &Expression,
    ) -> Result<Value<'d>, Located> {
        let matched = match_arguments(call, of.span, &["x", "ref"])?;
        let x = matched.require("x")?;
        let reference = matched.require("ref")?;
        let Value::Factor(factor) = self.value(x)? else {
            return Err(matched.refuse("x", "a factor"));
        };
        if factor.is_ordered {
            return Err(matched.refuse("x", "a factor that is not ordered"));
        }
        let first = self.level(&matched, "ref", reference, x, &factor.levels)?;
        let mut levels = factor.levels.to_vec();
        let level = levels.remove(first);
        levels.insert(0, level);
        self.with_levels(factor, levels, x).map(Value::Factor)
    }

    /// The position of a level that an argument names, or numbers from 1.
    fn level(
        &mut self,
        matched: &Matched,
        argument: &'static str,
        named: &Expression,
        of: &Expression,
        levels: &[String],
    ) -> Result<usize, Located> {
        match self.value(named)? {
            Value::Texts(texts) if texts.len() == 1 => {
                let position = levels.iter().position(|level| *level == texts[0]);
                position.ok_or_else(|| {
                    named.span.fault(Fault::UnknownLevel {
                        expression: of.to_string(),
                        level: texts[0].clone(),
                        levels: levels.to_vec(),
                    })
                })
            }
            Value::Numbers(values)
                if values.len() == 1
                    && values[0].fract() == 0.0
                    && (1.0..=levels.len() as f64).contains(&values[0]) =>
            {
                Ok(values[0] as usize - 1)
            }
            _ => Err(matched.refuse(argument, "a level, or its number from 1")),
        }
    }

    /// `C(object, contr, how.many, base =, scores =)`.
    pub(super) fn with_contrasts(
        &mut self,
        call: &Call,
        of: &Expression,
    ) -> Result<Value<'d>, Located> {
        let names = &["object", "contr", "how.many", "base", "scores"];
        let matched = match_arguments(call, of.span, names)?;
        let object = matched.require("object")?;
        let mut factor = self.any_as_factor(object, of)?;
        let levels = factor.levels.to_vec();
        let inner;
        let (kind, details) = match matched.get("contr") {
            None if factor.is_ordered => ("contr.poly", &matched),
            None => ("contr.treatment", &matched),
            Some(contr) => match &contr.kind {
                Kind::Name(name) | Kind::Text(name) => (&**name, &matched),
                Kind::Call(call) => {
                    inner = match_arguments(call, contr.span, &["n", "base", "scores"])?;
                    (&*call.name, &inner)
                }
                _ => return Err(matched.refuse("contr", KINDS)),
            },
        };
        let contrast = match kind {
            "contr.treatment" | "treatment" => Contrast::Treatment {
                reference: match details.get("base") {
                    None => None,
                    Some(base) => {
                        let base = self.level(details, "base", base, object, &levels)?;
                        Some(levels[base].clone())
                    }
                },
            },
            "contr.sum" | "sum" => Contrast::Sum,
            "contr.helmert" | "helmert" => Contrast::Helmert,
            "contr.SAS" | "SAS" => Contrast::Sas,
            "contr.poly" | "poly" => Contrast::Polynomial {
                scores: self.number_list(details, "scores", "numbers, one a level")?,
            },
            _ => return Err(matched.refuse("contr", KINDS)),
        };
        let most = levels.len().saturating_sub(1).max(1) as i64;
        let count = self.whole_number(&matched, "how.many", (1, most))?;
        factor.contrast = Some(ContrastChoice {
            contrast,
            count: count.map(|count| count as usize),
        });
        Ok(Value::Factor(factor))
    }
}

fn levels_of(learnt: Learnt) -> Option<Vec<String>> {
    match learnt {
        Learnt::Levels(levels) => Some(levels),
        _ => None,
    }
}

/// The levels that observations have, in their order.
fn used_levels(factor: &FactorValue) -> Vec<String> {
    let mut is_used = vec![false; factor.levels.len()];
    factor
        .codes
        .iter()
        .for_each(|code| is_used[*code as usize] = true);
    let levels = factor.levels.iter().zip(is_used);
    let used = levels.filter(|(_, is_used)| *is_used);
    used.map(|(level, _)| level.clone()).collect()
}

/// The factor with other names of its levels; levels of one name become one, and a single name is
/// numbered.
fn labelled<'d>(
    factor: FactorValue<'d>,
    labels: &[String],
    matched: &Matched,
) -> Result<FactorValue<'d>, Located> {
    let count = factor.levels.len();
    let labels: Vec<String> = match labels {
        [label] if count != 1 => (1..=count)
            .map(|number| format!("{label}{number}"))
            .collect(),
        _ if labels.len() == count => labels.to_vec(),
        _ => return Err(matched.refuse("labels", "as many texts as there are levels, or one")),
    };
    let mut levels: Vec<String> = Vec::new();
    let mut places: HashMap<String, u32> = HashMap::new();
    let new = labels.into_iter().map(|label| {
        *places.entry(label).or_insert_with_key(|label| {
            levels.push(label.clone());
            levels.len() as u32 - 1
        })
    });
    let new: Vec<u32> = new.collect();
    let codes = factor.codes.iter().map(|code| new[*code as usize]);
    Ok(FactorValue {
        codes: codes.collect::<Vec<_>>().into(),
        levels: levels.into(),
        ..factor
    })
}
