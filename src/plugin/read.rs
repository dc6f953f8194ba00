//! What lies in a plugin's memory, checked and copied into plain Rust types.

// Another's pointers are followed.
#![allow(unsafe_code)]

use std::{path::Path, ptr, sync::Arc};

use passel_abi::{
    PASSEL_ABI_VERSION, PASSEL_OVER_LEVELS, PASSEL_OVER_REGRESSION, PASSEL_TERMS, passel_criterion,
    passel_function, passel_method, passel_pair_score, passel_parameter, passel_plugin,
    passel_score, passel_selector,
};

use super::{
    MethodInfo, MethodParameter, PASS, Plugin, PluginCriterion, PluginMethod, PluginPairScore,
    Refusal, Way,
    calls::{Declare, Function, Run, Value},
    error::ContractError,
    memory::{list, name, table, text, whole},
    methods::{self, PairWay},
};
use crate::score::TERMS;

const _: () = assert!(PASSEL_TERMS == TERMS);

/// Most selectors, and most pair scores.
const MOST: usize = 1024;

/// Most parameters of a selector.
const MOST_PARAMETERS: usize = 64;

/// Longest text of a program: a function in CUDA C.
const LONGEST_CUDA: usize = 1 << 20;

/// All that a plugin brings.
///
/// # Safety
/// What the plugin's entry returned.
pub(super) unsafe fn plugin(
    there: *const passel_plugin,
    expected: &str,
    path: &Path,
) -> Result<Plugin, Refusal> {
    let of = |place: String| move |violation| Refusal::Contract { place, violation };
    let whole = || of("the plugin".to_owned());
    // Before all else: of version 0 not even the size may mean the same.
    // SAFETY: both come first in every version.
    let theirs = unsafe { ptr::addr_of!((*there).abi_version).read_unaligned() };
    let ours = PASSEL_ABI_VERSION;
    if theirs != ours {
        return Err(Refusal::Version { theirs, ours });
    }
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "the plugin") }.map_err(whole())?;
    let name = unsafe { name(it.name) }.map_err(whole())?;
    if name != expected {
        let expected = expected.to_owned();
        return Err(whole()(ContractError::Called { name, expected }));
    }
    let version = unsafe { text(it.version, "version") }.map_err(whole())?;
    let description = unsafe { text(it.description, "description") }.map_err(whole())?;
    let members = ["selectors", "selector_count"];
    let selectors = unsafe { list(it.selectors, it.selector_count, members, MOST) };
    let mut methods: Vec<PluginMethod> = Vec::new();
    for (at, there) in selectors.map_err(whole())?.into_iter().enumerate() {
        let (mut place, taken) = (format!("selector {}", at + 1), &methods);
        let method = unsafe { method(there, &name, &mut place) }.and_then(|it| {
            let name = &it.info.name;
            let twice = name == PASS || taken.iter().any(|has| has.info.name == *name);
            untaken(name.clone(), twice).map(|()| it)
        });
        methods.push(method.map_err(of(place))?);
    }
    let members = ["pair_scores", "pair_score_count"];
    let pairs = unsafe { list(it.pair_scores, it.pair_score_count, members, MOST) };
    let mut pair_scores: Vec<PluginPairScore> = Vec::new();
    for (at, there) in pairs.map_err(whole())?.into_iter().enumerate() {
        let (mut place, taken) = (format!("pair score {}", at + 1), &pair_scores);
        let pair = unsafe { pair(there, &name, &mut place) }.and_then(|it| {
            let name = &it.info.name;
            let twice = taken.iter().any(|has| has.info.name == *name);
            untaken(name.clone(), twice).map(|()| it)
        });
        pair_scores.push(pair.map_err(of(place))?);
    }
    let members = ["criteria", "criterion_count"];
    let there = unsafe { list(it.criteria, it.criterion_count, members, MOST) };
    let mut criteria: Vec<PluginCriterion> = Vec::new();
    for (at, there) in there.map_err(whole())?.into_iter().enumerate() {
        let (mut place, taken) = (format!("criterion {}", at + 1), &criteria);
        let criterion = unsafe { criterion(there, &name, &mut place) }.and_then(|it| {
            let name = &it.info.name;
            let own = passel_criteria::ALL.iter().any(|has| has.name == name);
            let twice = own || taken.iter().any(|has| has.info.name == *name);
            untaken(name.clone(), twice).map(|()| it)
        });
        criteria.push(criterion.map_err(of(place))?);
    }
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

fn untaken(name: String, taken: bool) -> Result<(), ContractError> {
    match taken {
        true => Err(ContractError::Taken { name }),
        false => Ok(()),
    }
}

/// How it is asked for.
///
/// # Safety
/// Of a plugin that was entered.
unsafe fn about(
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
    let whose = place.clone();
    for (at, there) in entries.into_iter().enumerate() {
        *place = format!("{whose}, parameter {}", at + 1);
        let it = unsafe { parameter(there) }?;
        // A report has the parameters beside these of its own.
        let own = ["name", "plugin", "value"].contains(&it.name.as_str());
        let twice = own || parameters.iter().any(|has| has.name == it.name);
        untaken(it.name.clone(), twice)?;
        parameters.push(it);
    }
    *place = whose;
    Ok(MethodInfo {
        name,
        title: unsafe { text(it.title, "title") }?,
        formula: unsafe { text(it.formula, "formula") }?,
        source: unsafe { text(it.source, "source") }?,
        plugin: plugin.to_owned(),
        parameters,
    })
}

/// # Safety
/// As of [`about`], here and below.
unsafe fn method(
    there: *const passel_selector,
    plugin: &str,
    place: &mut String,
) -> Result<PluginMethod, ContractError> {
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "the selector") }?;
    let about = unsafe { about(&it.method, plugin, place) }?;
    let defaults = about.defaults();
    let way = match (it.declare, it.run) {
        (Some(function), None) => {
            let selector = there;
            let declare = Declare {
                function,
                selector,
                name: about.name.as_str().into(),
            };
            // One that cannot be declared by itself is broken, and that shows here.
            declare.score(&defaults)?;
            Way::Declares(declare)
        }
        (None, Some(function)) => {
            let run = Run {
                function,
                selector: there,
                values: defaults.into(),
            };
            match it.over {
                PASSEL_OVER_LEVELS => Way::Ranks(run),
                PASSEL_OVER_REGRESSION => Way::Regresses(run),
                value => {
                    let member = "over";
                    return Err(ContractError::Constant { member, value });
                }
            }
        }
        (None, None) => return Err(ContractError::Neither),
        (Some(_), Some(_)) => return Err(ContractError::Both),
    };
    Ok(PluginMethod { info: about, way })
}

unsafe fn parameter(there: *const passel_parameter) -> Result<MethodParameter, ContractError> {
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "a parameter") }?;
    let (default, least, most) = (it.default_value, it.least, it.most);
    let range = least.is_finite() && most.is_finite() && (least..=most).contains(&default);
    if !range {
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

unsafe fn pair(
    there: *const passel_pair_score,
    plugin: &str,
    place: &mut String,
) -> Result<PluginPairScore, ContractError> {
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "the pair score") }?;
    let about = unsafe { about(&it.method, plugin, place) }?;
    let way = match it.function.is_null() {
        true => PairWay::Declared(methods::pair_quantity(&it.quantity)?),
        false => PairWay::Function(unsafe {
            let name = about.name.as_str().into();
            function(&name, it.function, &about.defaults())
        }?),
    };
    Ok(PluginPairScore { info: about, way })
}

unsafe fn criterion(
    there: *const passel_criterion,
    plugin: &str,
    place: &mut String,
) -> Result<PluginCriterion, ContractError> {
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "the criterion") }?;
    let about = unsafe { about(&it.method, plugin, place) }?;
    let function = it.value.ok_or(ContractError::Null { member: "value" })?;
    // The report's names outlive every selection; a plugin is loaded once.
    let leaked = |it: &str| -> &'static str { Box::leak(it.into()) };
    let parameters = about.parameters.iter();
    let value = Value {
        function,
        criterion: there,
        name: leaked(&about.name),
        parameters: parameters
            .map(|it| (leaked(&it.name), it.default))
            .collect(),
        values: about.defaults().into(),
    };
    let value = value.looked_at()?;
    Ok(PluginCriterion { info: about, value })
}

/// The function of a score that a plugin filled in, for a method and these parameters.
pub(super) fn function_of(
    name: &Arc<str>,
    score: &passel_score,
    values: &[f64],
) -> Result<Function, ContractError> {
    // SAFETY: by the contract the plugin's, who was entered.
    unsafe { function(name, score.function, values) }
}

/// A function of a table for a method and these parameters.
///
/// # Safety
/// Null, or a function of a plugin that was entered.
unsafe fn function(
    name: &Arc<str>,
    there: *const passel_function,
    values: &[f64],
) -> Result<Function, ContractError> {
    // SAFETY: by the contract, here and below.
    let it = unsafe { table(there, "the function") }?;
    let value = it.value.ok_or(ContractError::Null { member: "value" })?;
    let cuda = match it.cuda.is_null() {
        true => None,
        false => Some(unsafe { whole(it.cuda, "cuda", LONGEST_CUDA) }?.into()),
    };
    let tolerance = it.tolerance;
    if !(0.0..=0.01).contains(&tolerance) {
        return Err(ContractError::Tolerance { tolerance });
    }
    Ok(Function {
        value,
        function: there,
        name: name.clone(),
        values: values.into(),
        cuda,
        tolerance,
    })
}
