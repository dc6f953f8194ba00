//! A plugin's description, read from its memory, checked and copied into plain Rust types.

// Another's pointers are followed.
#![allow(unsafe_code)]

use std::{path::Path, ptr};

use passel_abi::{
    PASSEL_ABI_VERSION, PASSEL_OVER_LEVELS, PASSEL_OVER_REGRESSION, PASSEL_TERMS, passel_criterion,
    passel_method, passel_pair_score, passel_parameter, passel_plugin, passel_selector,
};

use super::{
    calls::{CriterionCall, DeclareCall, Foreign, FunctionCall, RunCall},
    contract,
    description::{
        MethodCall, MethodInfo, MethodParameter, PairMeasure, Plugin, PluginCriterion,
        PluginMethod, PluginPairScore,
    },
    error::{ContractError, PASS, Refusal},
    memory::{list, name, table, text},
};
use crate::score::TERMS;

const _: () = assert!(PASSEL_TERMS == TERMS);

/// Most selectors, most pair scores and most criteria of a plugin.
const MOST: usize = 1024;

/// Most parameters of a method.
const MOST_PARAMETERS: usize = 64;

/// Reads everything that a plugin brings.
///
/// # Errors
/// Another version of the contract, or the first breach of it, with its place.
///
/// # Safety
/// `there` is what the plugin's entry returned.
pub(super) unsafe fn plugin(
    there: *const passel_plugin,
    expected: &str,
    path: &Path,
) -> Result<Plugin, Refusal> {
    let whole = |violation| Refusal::Contract {
        place: "the plugin".to_owned(),
        violation,
    };
    // Before all else: of version 0 not even the size may mean the same.
    // SAFETY: both come first in every version.
    let theirs = unsafe { ptr::addr_of!((*there).abi_version).read_unaligned() };
    let ours = PASSEL_ABI_VERSION;
    if theirs != ours {
        return Err(Refusal::Version { theirs, ours });
    }
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "the plugin") }.map_err(whole)?;
    let name = unsafe { name(it.name) }.map_err(whole)?;
    if name != expected {
        let expected = expected.to_owned();
        return Err(whole(ContractError::Called { name, expected }));
    }
    let version = unsafe { text(it.version, "version") }.map_err(whole)?;
    let description = unsafe { text(it.description, "description") }.map_err(whole)?;
    let members = ["selectors", "selector_count"];
    let selectors = unsafe { list(it.selectors, it.selector_count, members, MOST) };
    let methods = entries(
        "selector",
        selectors.map_err(whole)?,
        |there, place, before| {
            let method = unsafe { method(there, &name, place) }?;
            let taken = before.iter().map(|other: &PluginMethod| &other.info.name);
            untaken(&method.info.name, taken.map(String::as_str).chain([PASS]))?;
            Ok(method)
        },
    )?;
    let members = ["pair_scores", "pair_score_count"];
    let pairs = unsafe { list(it.pair_scores, it.pair_score_count, members, MOST) };
    let pair_scores = entries(
        "pair score",
        pairs.map_err(whole)?,
        |there, place, before| {
            let score = unsafe { pair_score(there, &name, place) }?;
            let taken = before
                .iter()
                .map(|other: &PluginPairScore| &*other.info.name);
            untaken(&score.info.name, taken)?;
            Ok(score)
        },
    )?;
    let members = ["criteria", "criterion_count"];
    let criteria = unsafe { list(it.criteria, it.criterion_count, members, MOST) };
    let criteria = entries(
        "criterion",
        criteria.map_err(whole)?,
        |there, place, before| {
            let criterion = unsafe { criterion(there, &name, place) }?;
            let taken = before
                .iter()
                .map(|other: &PluginCriterion| &*other.info.name);
            let own = passel_criteria::ALL.iter().map(|own| own.name);
            untaken(&criterion.info.name, taken.chain(own))?;
            Ok(criterion)
        },
    )?;
    Ok(Plugin {
        name,
        version,
        description,
        path: path.to_owned(),
        methods,
        pair_scores,
        criteria,
    })
}

/// Reads each entry of a list, given those before it; an error says at which entry.
fn entries<S, T>(
    kind: &str,
    list: Vec<*const S>,
    read: impl Fn(*const S, &mut String, &[T]) -> Result<T, ContractError>,
) -> Result<Vec<T>, Refusal> {
    let mut entries = Vec::with_capacity(list.len());
    for (at, there) in list.into_iter().enumerate() {
        let mut place = format!("{kind} {}", at + 1);
        let entry = read(there, &mut place, &entries);
        entries.push(entry.map_err(|violation| Refusal::Contract { place, violation })?);
    }
    Ok(entries)
}

fn untaken<'a>(name: &str, mut taken: impl Iterator<Item = &'a str>) -> Result<(), ContractError> {
    match taken.any(|other| other == name) {
        true => Err(ContractError::Taken {
            name: name.to_owned(),
        }),
        false => Ok(()),
    }
}

/// # Safety
/// `it` is of a plugin that was entered, here and below.
unsafe fn info(
    it: &passel_method,
    plugin: &str,
    place: &mut String,
) -> Result<MethodInfo, ContractError> {
    // SAFETY: by the contract, here and below.
    let name = unsafe { name(it.name) }?;
    *place += &format!(" ({name})");
    let members = ["parameters", "parameter_count"];
    let count = it.parameter_count;
    let entries = unsafe { list(it.parameters, count, members, MOST_PARAMETERS) }?;
    let mut parameters: Vec<MethodParameter> = Vec::new();
    let method = place.clone();
    for (at, there) in entries.into_iter().enumerate() {
        *place = format!("{method}, parameter {}", at + 1);
        let parameter = unsafe { parameter(there) }?;
        let taken = parameters.iter().map(|other| other.name.as_str());
        // A report has the parameters beside these keys of its own.
        untaken(&parameter.name, taken.chain(["name", "plugin", "value"]))?;
        parameters.push(parameter);
    }
    *place = method;
    Ok(MethodInfo {
        name,
        title: unsafe { text(it.title, "title") }?,
        formula: unsafe { text(it.formula, "formula") }?,
        source: unsafe { text(it.source, "source") }?,
        plugin: plugin.to_owned(),
        parameters,
    })
}

unsafe fn method(
    there: *const passel_selector,
    plugin: &str,
    place: &mut String,
) -> Result<PluginMethod, ContractError> {
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "the selector") }?;
    let info = unsafe { info(&it.method, plugin, place) }?;
    let (selector, defaults) = (Foreign(there), info.defaults());
    let call = match (it.declare, it.run) {
        (Some(function), None) => {
            let name = info.name.as_str().into();
            let declare = DeclareCall {
                function,
                selector,
                name,
            };
            // A score that its defaults do not make is refused at load.
            declare.score(&defaults)?;
            MethodCall::Score(declare)
        }
        (None, Some(function)) => {
            let run = RunCall {
                function,
                selector,
                values: defaults.into(),
            };
            match it.over {
                PASSEL_OVER_LEVELS => MethodCall::Ranking(run),
                PASSEL_OVER_REGRESSION => MethodCall::Regression(run),
                value => {
                    let member = "over";
                    return Err(ContractError::Constant { member, value });
                }
            }
        }
        (None, None) => return Err(ContractError::Neither),
        (Some(_), Some(_)) => return Err(ContractError::Both),
    };
    Ok(PluginMethod { info, call })
}

unsafe fn parameter(there: *const passel_parameter) -> Result<MethodParameter, ContractError> {
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "a parameter") }?;
    let (default, least, most) = (it.default_value, it.least, it.most);
    let finite = least.is_finite() && most.is_finite();
    if !(finite && (least..=most).contains(&default)) {
        return Err(ContractError::Range {
            default,
            least,
            most,
        });
    }
    Ok(MethodParameter {
        name: unsafe { name(it.name) }?,
        help: unsafe { text(it.help, "help") }?,
        default,
        least,
        most,
    })
}

unsafe fn pair_score(
    there: *const passel_pair_score,
    plugin: &str,
    place: &mut String,
) -> Result<PluginPairScore, ContractError> {
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "the pair score") }?;
    let info = unsafe { info(&it.method, plugin, place) }?;
    let measure = match it.function.is_null() {
        true => PairMeasure::Quantity(contract::pair_quantity(&it.quantity)?),
        false => {
            let name = info.name.as_str().into();
            let call = unsafe { FunctionCall::read(&name, it.function, &info.defaults()) };
            PairMeasure::Function(call?)
        }
    };
    Ok(PluginPairScore { info, measure })
}

unsafe fn criterion(
    there: *const passel_criterion,
    plugin: &str,
    place: &mut String,
) -> Result<PluginCriterion, ContractError> {
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "the criterion") }?;
    let info = unsafe { info(&it.method, plugin, place) }?;
    let function = it.value.ok_or(ContractError::Null { member: "value" })?;
    // The report's names outlive every selection; a plugin is loaded once.
    let leaked = |text: &str| -> &'static str { Box::leak(text.into()) };
    let parameters = info.parameters.iter();
    let parameters = parameters.map(|parameter| (leaked(&parameter.name), parameter.default));
    let call = CriterionCall {
        function,
        criterion: Foreign(there),
        name: leaked(&info.name),
        parameters: parameters.collect(),
        values: info.defaults().into(),
    };
    let call = call.checked()?;
    Ok(PluginCriterion { info, call })
}
