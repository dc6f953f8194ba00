//! A plugin's family: its functions called, and what they give checked.

// Another's code is called.
#![allow(unsafe_code)]

use std::{
    collections::BTreeMap,
    ffi::CString,
    sync::{Mutex, PoisonError},
};

use passel_abi::passel_family;
use passel_criteria::Origin;

use super::{
    error::Breach,
    guard::Called,
    guard_pages::{lend, lend_mut},
    memory::{Foreign, cuda_text, text},
    parameter::MethodParameter,
    warn_once,
};
use crate::family::{Distribution, FamilyDefinition, FamilyFunctions, Link, PluginFamily};

/// Responses that a family is tried with before there are data, if it takes them.
const PROBES: [f64; 12] = [
    0.0, 1.0, 2.0, 3.0, 7.0, 20.0, 0.5, 0.2, 1.5, 4.25, -1.0, -3.5,
];

/// A family of a plugin, without values of its parameters.
#[derive(Debug, Clone)]
pub struct FamilyCall {
    name: String,
    plugin: String,
    parameters: Vec<MethodParameter>,
    responses: String,
    link: Result<Link, String>,
    has_dispersion: bool,
    cuda: Option<String>,
    functions: Functions,
}

#[derive(Debug, Clone, Copy)]
struct Functions {
    there: Foreign<passel_family>,
    /// What there was to copy, each function that is needed not null.
    table: passel_family,
    called: Called,
}

// SAFETY: by the contract a plugin's functions may be called from any thread, and what the copy points to stays as it is.
unsafe impl Send for Functions {}
// SAFETY: as above, from several threads at once.
unsafe impl Sync for Functions {}

impl FamilyCall {
    /// What responses it takes, in words.
    pub fn responses(&self) -> &str {
        &self.responses
    }

    /// The name of its link.
    pub fn link(&self) -> &str {
        self.link
            .as_ref()
            .map_or_else(String::as_str, |own| own.name())
    }

    /// Reads a family from the plugin's memory; parameters by name and default.
    ///
    /// # Safety
    /// `there` is of a plugin that was entered, and `copy` a copy of it.
    pub(super) unsafe fn read(
        there: *const passel_family,
        copy: &passel_family,
        [plugin, name]: [&str; 2],
        parameters: &[MethodParameter],
    ) -> Result<Self, Breach> {
        // SAFETY: by the contract, here and below.
        let link_name = unsafe { text(copy.link, "link") }?;
        let link = Link::named(&link_name).ok_or(link_name);
        let both = (copy.mean.is_some(), copy.predictor.is_some());
        match (&link, both) {
            (Ok(_), (false, false)) | (Err(_), (true, true)) => {}
            (Ok(link), _) => {
                return Err(format!(
                    "the link {link} is passel's, and mean or predictor is not null"
                )
                .into());
            }
            (Err(name), _) => {
                return Err(format!(
                    "the link {name} is none of passel's, and mean or predictor is null"
                )
                .into());
            }
        }
        for (member, is_there) in [
            ("is_response", copy.is_response.is_some()),
            ("variance", copy.variance.is_some()),
            ("deviance", copy.deviance.is_some()),
        ] {
            if !is_there {
                return Err(Breach::null(member));
            }
        }
        let defaults: Vec<f64> = parameters.iter().map(|own| own.default).collect();
        let call = Self {
            name: name.to_owned(),
            plugin: plugin.to_owned(),
            parameters: parameters.to_vec(),
            responses: unsafe { text(copy.responses, "responses") }?,
            link,
            has_dispersion: match copy.dispersion {
                0 => false,
                1 => true,
                other => {
                    return Err(format!("dispersion is {other}, which means nothing").into());
                }
            },
            cuda: unsafe { cuda_text(copy.cuda) }?,
            functions: Functions {
                there: Foreign(there),
                table: *copy,
                called: Called::method(plugin, name),
            },
        };
        // Without the hash of the library, which only reports need.
        let origin = Origin {
            plugin: plugin.to_owned(),
            version: String::new(),
            sha256: None,
        };
        let family = PluginFamily::new(call.with(origin, &defaults));
        family.check(&PROBES)?;
        Ok(call)
    }

    /// The family with values of its parameters, the same for the same values.
    pub(super) fn family(&self, origin: Origin, values: &[f64]) -> Result<Distribution, Breach> {
        static KNOWN: Mutex<BTreeMap<(usize, Vec<u64>), PluginFamily>> =
            Mutex::new(BTreeMap::new());
        let bits = values.iter().map(|value| value.to_bits()).collect();
        let key = (self.functions.there.0.addr(), bits);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = known.get(&key) {
            return Ok(Distribution::Plugin(*own));
        }
        let own = PluginFamily::new(self.with(origin, values));
        own.check(&PROBES)?;
        known.insert(key, own);
        Ok(Distribution::Plugin(own))
    }

    fn with(&self, origin: Origin, values: &[f64]) -> FamilyDefinition {
        let with_values = || self.parameters.iter().zip(values.iter().copied());
        let parameters = with_values().map(|(own, value)| (own.name.clone(), value));
        let shown = with_values().map(|(own, value)| (own.name.clone(), own.shown(value)));
        FamilyDefinition {
            // A name has no zero byte.
            name: CString::new(&*self.name).unwrap_or_default(),
            parameters: parameters.collect(),
            shown: shown.collect(),
            origin,
            responses: self.responses.clone(),
            link: self.link.clone(),
            has_dispersion: self.has_dispersion,
            functions: Box::new(WithValues {
                functions: self.functions,
                values: values.into(),
                called: format!("the family {} of plugin {}", self.name, self.plugin),
            }),
            cuda: self.cuda.clone(),
        }
    }
}

/// A family's functions with the values of its parameters.
#[derive(Debug)]
struct WithValues {
    functions: Functions,
    values: Box<[f64]>,
    called: String,
}

impl WithValues {
    /// Calls a function with a family, the values and the number of observations.
    fn call<T>(&self, call: impl FnOnce(*const passel_family, *const f64) -> T) -> T {
        let Functions { there, called, .. } = self.functions;
        lend(&self.values, |values| called.run(|| call(there.0, values)))
    }

    /// Calls a function that fills an array by another.
    fn fill(
        &self,
        call: impl FnOnce(*const passel_family, *const f64, *const f64, *mut f64),
        from: &[f64],
        to: &mut [f64],
    ) {
        lend(from, |from| {
            lend_mut(to, |to| {
                self.call(|there, values| call(there, values, from, to));
            });
        });
    }

    /// Warns once of numbers that cannot be: such a mean is none of the family.
    fn warn_of_negative(&self, what: &str, means: &[f64], numbers: &[f64], least: f64) {
        // Numbers one by one are of checks, which tell them themselves.
        if numbers.len() == 1 {
            return;
        }
        let both = means.iter().zip(numbers);
        if let Some((mean, number)) = both.into_iter().find(|(_, number)| **number < least) {
            warn_once(&format!(
                "{}: the {what} at the mean {mean} is {number}; such means are left out",
                self.called
            ));
        }
    }
}

impl FamilyFunctions for WithValues {
    fn is_response(&self, y: f64) -> bool {
        let function = self.functions.table.is_response;
        // SAFETY: the family's own function, with its parameters; here and below.
        function.is_some_and(|own| self.call(|there, values| unsafe { own(there, values, y) }) != 0)
    }

    fn start(&self, responses: &[f64], means: &mut [f64]) {
        let Some(own) = self.functions.table.start else {
            return means.copy_from_slice(responses);
        };
        let count = means.len().min(responses.len());
        // SAFETY: as above; `count` numbers each.
        let call = |there, values, y, means| unsafe { own(there, values, count, y, means) };
        self.fill(call, &responses[..count], &mut means[..count]);
    }

    fn predictor(&self, mean: f64) -> f64 {
        let function = self.functions.table.predictor;
        // SAFETY: as above.
        let call = |there, values| function.map(|own| unsafe { own(there, values, mean) });
        self.call(call).unwrap_or(f64::NAN)
    }

    fn means(&self, predictors: &[f64], means: &mut [f64], slopes: &mut [f64]) {
        let Some(own) = self.functions.table.mean else {
            return;
        };
        let count = predictors.len().min(means.len()).min(slopes.len());
        lend_mut(&mut slopes[..count], |slopes| {
            // SAFETY: as above.
            let call = |there, values, eta, means| unsafe {
                own(there, values, count, eta, means, slopes)
            };
            self.fill(call, &predictors[..count], &mut means[..count]);
        });
    }

    fn variances(&self, means: &[f64], variances: &mut [f64]) {
        let Some(own) = self.functions.table.variance else {
            return;
        };
        let count = means.len().min(variances.len());
        // SAFETY: as above.
        let call = |there, values, of, to| unsafe { own(there, values, count, of, to) };
        self.fill(call, &means[..count], &mut variances[..count]);
        self.warn_of_negative("variance", means, variances, 0.0);
    }

    fn deviances(&self, responses: &[f64], means: &[f64], deviances: &mut [f64]) {
        let Some(own) = self.functions.table.deviance else {
            return;
        };
        let count = responses.len().min(means.len()).min(deviances.len());
        lend(&responses[..count], |y| {
            // SAFETY: as above.
            let call = |there, values, of, to| unsafe { own(there, values, count, y, of, to) };
            self.fill(call, &means[..count], &mut deviances[..count]);
        });
        // What is less may be rounding of an exact fit.
        self.warn_of_negative("deviance", means, deviances, -1e-6);
    }

    fn saturated(&self, responses: &[f64], log_likelihoods: &mut [f64]) {
        let Some(own) = self.functions.table.saturated else {
            return log_likelihoods.fill(0.0);
        };
        let count = responses.len().min(log_likelihoods.len());
        // SAFETY: as above.
        let call = |there, values, y, to| unsafe { own(there, values, count, y, to) };
        self.fill(call, &responses[..count], &mut log_likelihoods[..count]);
    }
}
