//! What `passel plugins --check` tries of a family.

use std::time::Instant;

use super::{check_calls::twin, check_step};
use crate::{
    device::cuda::families,
    family::{Distribution, FamilyFunctions},
    plugin,
};

/// Observations that are asked for at once.
const AT_ONCE: usize = 256;

/// A family, whose functions were tried against one another when it was found: what they give is the same again, and for
/// observations one by one.
pub(super) fn of_family(family: Distribution) -> Result<String, String> {
    let Distribution::Plugin(family) = family else {
        return Err("it is none of a plugin".to_owned());
    };
    let functions = &*family.functions;
    let responses = family.tried(AT_ONCE);
    if responses.is_empty() {
        return Err(
            "it takes none of the responses that were tried: whole numbers, shares and positive numbers"
                .to_owned(),
        );
    }
    check_step::step("observations");
    let mut means = vec![f64::NAN; responses.len()];
    functions.start(&responses, &mut means);
    means.rotate_left(responses.len() / 3);
    let started = Instant::now();
    let all = values(functions, &responses, &means);
    let time = started.elapsed().as_nanos() as f64 / responses.len().max(1) as f64;
    let differs = |other: &[f64; 3], at: usize| {
        let pairs = other.iter().zip(&all);
        pairs
            .into_iter()
            .any(|(a, b)| a.to_bits() != b[at].to_bits())
    };
    // What a plugin does with what it is lent beyond that ends this process.
    let again = plugin::guarded(|| values(functions, &responses, &means));
    for (at, (y, mean)) in responses.iter().zip(&means).enumerate() {
        let place = format!("of the response {y} at the mean {mean}");
        if differs(&[0, 1, 2].map(|of: usize| again[of][at]), at) {
            return Err(format!(
                "variance, deviance or log-likelihood {place} is another when it is asked again"
            ));
        }
        let alone = values(functions, &[*y], &[*mean]);
        if differs(&[0, 1, 2].map(|of: usize| alone[of][0]), at) {
            return Err(format!(
                "variance, deviance or log-likelihood {place} is another where other observations are asked for with it"
            ));
        }
    }
    let twin = twin(family.cuda.is_some(), || families::check(family))?;
    Ok(format!(
        "{} responses, {time:.0} ns an observation{twin}",
        responses.len()
    ))
}

/// Variances, deviances and log-likelihoods.
fn values(functions: &dyn FamilyFunctions, responses: &[f64], means: &[f64]) -> [Vec<f64>; 3] {
    let mut all = [0; 3].map(|_| vec![f64::NAN; responses.len()]);
    functions.variances(means, &mut all[0]);
    functions.deviances(responses, means, &mut all[1]);
    functions.saturated(responses, &mut all[2]);
    all
}
