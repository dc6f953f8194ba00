//! Names with parameters, `ebic:gamma=0.5`, from the texts of an option.

use std::sync::Arc;

use passel_criteria::{ALL, Criterion, CriterionError};

use super::{OptionError, RawValues, raw_values::CriterionChoice};
use crate::{
    nearest::nearest,
    spec::{parse_spec, parse_texts, split_specs},
};

impl RawValues<'_> {
    /// Names separated by commas, each with its parameters.
    pub(super) fn specs(&self) -> Result<Vec<String>, OptionError> {
        let text = self.text()?;
        let specs = split_specs(&text);
        match specs.contains(&"") {
            true => Err(self.out_of_range()),
            false => Ok(specs.into_iter().map(str::to_owned).collect()),
        }
    }

    /// Criteria separated by commas, each by its name and parameters.
    pub(super) fn criteria(&self) -> Result<Vec<CriterionChoice>, OptionError> {
        let specs = split_specs(self.one()?).into_iter();
        specs
            .map(|spec| {
                Ok(match self.criterion(spec)? {
                    Some(own) => CriterionChoice::Own(own),
                    None => CriterionChoice::OfPlugin(spec.to_owned()),
                })
            })
            .collect()
    }

    /// A criterion by its name and parameters; `None` if the name is not one of passel's own.
    fn criterion(&self, value: &str) -> Result<Option<Arc<dyn Criterion>>, OptionError> {
        if value.is_empty() {
            return Err(self.out_of_range());
        }
        // What values a plugin's criterion takes is the plugin's.
        let (name, _) = parse_texts(value).ok_or_else(|| self.out_of_range())?;
        if !ALL.iter().any(|own| own.name == name) {
            return Ok(None);
        }
        let (name, parameters) = parse_spec(value).ok_or_else(|| self.out_of_range())?;
        match passel_criteria::named(name, &parameters) {
            Ok(criterion) => Ok(Some(criterion.into())),
            Err(error) => {
                let nearest = match &error {
                    CriterionError::UnknownParameter {
                        parameter, known, ..
                    } => nearest(parameter, known.iter().copied()),
                    _ => None,
                };
                let message = format!("criterion = {value}: {error}");
                Err(OptionError::new("criterion", message).suggest(nearest))
            }
        }
    }
}
