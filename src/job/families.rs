//! Families that are asked for, of which some are those of plugins.

use super::{
    JobDraft, OptionError, RawValues,
    plugin_lookup::{PluginLookup, refused},
    plugin_questions::Asking,
};
use crate::{family::Distribution, nearest::nearest, plugin::MethodError};

/// A family that was asked for.
#[derive(Debug, Clone)]
pub(super) enum FamilyChoice {
    /// One of passel's own.
    Own(Distribution),
    /// Any other, as it was given, with the error where no plugin has it either.
    OfPlugin(String, OptionError),
}

impl RawValues<'_> {
    /// Families separated by commas, those of plugins each with its parameters.
    pub(super) fn families(&self) -> Result<Vec<FamilyChoice>, OptionError> {
        let specs = self.specs()?.into_iter();
        let choices = specs.map(|spec| match Distribution::named(&spec) {
            Some(own) => FamilyChoice::Own(own),
            None => {
                let own = Distribution::ALL.map(Distribution::name);
                let error = self.out_of_range().suggest(nearest(&spec, own));
                FamilyChoice::OfPlugin(spec, error)
            }
        });
        Ok(choices.collect())
    }
}

impl JobDraft {
    /// Takes the families that were asked for: the job's, and others beside it.
    pub(super) fn set_families(&mut self, families: Vec<FamilyChoice>) {
        let own = families.iter().map(|family| match family {
            FamilyChoice::Own(own) => *own,
            FamilyChoice::OfPlugin(..) => Distribution::Gaussian,
        });
        let mut own = own.collect::<Vec<_>>().into_iter();
        self.job.kind.distribution = own.next().unwrap_or(Distribution::Gaussian);
        self.other_families = own.collect();
        self.families = families;
    }

    /// Finds the families that are not passel's own among plugins.
    pub(super) fn resolve_families(&mut self) -> Result<(), OptionError> {
        // Paths of the job are not yet those of its folder.
        let named = self.job.plugins.iter().map(|path| self.folder.join(path));
        let named: Vec<_> = named.collect();
        let families = std::mem::take(&mut self.families).into_iter();
        for (at, family) in families.enumerate() {
            let FamilyChoice::OfPlugin(spec, unknown) = family else {
                continue;
            };
            let refused = |error| match error {
                MethodError::UnknownName { nearest: None, .. } => unknown,
                MethodError::UnknownName {
                    name,
                    nearest: Some(own),
                    ..
                } if name == own => {
                    let message = format!("the family {name} has no parameters: family = {spec}");
                    OptionError::new("family", message)
                }
                error => refused(error),
            };
            let asking = Asking {
                named: &named,
                folder: &self.folder,
                timeout: self.job.timeout,
            };
            let found = self.plugins.find(asking, &spec, refused)?;
            PluginLookup::record(&mut self.job, &found);
            match at.checked_sub(1) {
                None => self.job.kind.distribution = found.value,
                Some(other) => self.other_families[other] = found.value,
            }
        }
        Ok(())
    }
}
