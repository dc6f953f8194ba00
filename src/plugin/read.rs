//! A plugin's description, read from its memory, checked and copied into plain Rust types.

// Another's pointers are followed.
#![allow(unsafe_code)]

use std::{ffi::c_char, path::Path, ptr, sync::OnceLock};

use passel_abi::{
    PASSEL_ABI_VERSION, PASSEL_OVER_LEVELS, PASSEL_OVER_REGRESSION, PASSEL_TERMS, passel_criterion,
    passel_family, passel_method, passel_pair_score, passel_parameter, passel_plugin,
    passel_selector,
};

use super::{
    calls::{CriterionCall, DeclareCall, FunctionCall, RunCall},
    contract,
    description::{
        About, FamilyCall, MethodCall, MethodInfo, MethodParameter, Offer, PairCall, Plugin,
    },
    error::{Breach, PASS},
    guard::Called,
    memory::{Foreign, Table, list, name, table, text},
};
use crate::{family::Distribution, score::TERMS};

const _: () = assert!(PASSEL_TERMS == TERMS);

/// Most selectors, most pair scores, most criteria and most families of a plugin.
const MOST: usize = 1024;

/// Most parameters of a method.
const MOST_PARAMETERS: usize = 64;

/// Reads everything that a plugin brings.
///
/// # Safety
/// `there` is what the plugin's entry returned.
pub(super) unsafe fn plugin(
    there: *const passel_plugin,
    expected: &str,
    path: &Path,
) -> Result<Plugin, String> {
    // Before all else: of version 0 not even the size may mean the same.
    // SAFETY: both come first in every version.
    let theirs = unsafe { ptr::addr_of!((*there).abi_version).read_unaligned() };
    // SAFETY: as above.
    let needs = unsafe { ptr::addr_of!((*there).needs).read_unaligned() };
    let ours = PASSEL_ABI_VERSION;
    if theirs == 0 {
        return Err(
            "it says that it was made with contract 0, which never was: start it with its sizeof and PASSEL_ABI_VERSION"
                .to_owned(),
        );
    }
    if needs > theirs {
        return Err(format!(
            "it needs contract {needs}, and says that it was made with {theirs}"
        ));
    }
    if needs > ours {
        return Err(format!(
            "it was made with contract {theirs} and needs {needs} at least, and this passel has contract {ours}: a later passel \
             has it"
        ));
    }
    let mut reader = Reader {
        plugin: expected,
        place: WHOLE.to_owned(),
    };
    // SAFETY: the caller's.
    let plugin = unsafe { reader.plugin(there, path) };
    plugin.map_err(|breach| format!("{}: {}", reader.place, breach.message))
}

/// The place of what belongs to no entry.
const WHOLE: &str = "the plugin";

/// Reads the tables of a plugin that was entered.
struct Reader<'a> {
    /// The plugin's name by its entry.
    plugin: &'a str,
    /// What is being read, for messages: `selector 2 (jmi)`.
    place: String,
}

impl Reader<'_> {
    unsafe fn plugin(
        &mut self,
        there: *const passel_plugin,
        path: &Path,
    ) -> Result<Plugin, Breach> {
        // SAFETY: by the contract, here and below.
        let copy = unsafe { table(there) }?;
        let name = unsafe { name(copy.name) }?;
        if name != self.plugin {
            let expected = self.plugin;
            return Err(format!("it calls itself `{name}`, its library `{expected}`").into());
        }
        let version = unsafe { text(copy.version, "version") }?;
        let description = unsafe { text(copy.description, "description") }?;
        let members = ["selectors", "selector_count"];
        let selectors = (copy.selectors, copy.selector_count, members);
        let members = ["pair_scores", "pair_score_count"];
        let pairs = (copy.pair_scores, copy.pair_score_count, members);
        let members = ["criteria", "criterion_count"];
        let criteria = (copy.criteria, copy.criterion_count, members);
        let members = ["families", "family_count"];
        let families = (copy.families, copy.family_count, members);
        let own_families = Distribution::ALL.map(Distribution::name);
        let own: Vec<&str> = passel_criteria::ALL.iter().map(|own| own.name).collect();
        Ok(Plugin {
            methods: unsafe {
                self.offers("selector", selectors, &[PASS], |copy| &copy.method, method)
            }?,
            pair_scores: unsafe {
                self.offers("pair score", pairs, &[], |copy| &copy.method, pair_score)
            }?,
            criteria: unsafe {
                self.offers("criterion", criteria, &own, |copy| &copy.method, criterion)
            }?,
            families: unsafe {
                self.offers(
                    "family",
                    families,
                    &own_families,
                    |copy| &copy.method,
                    family,
                )
            }?,
            name,
            version,
            description,
            about: About {
                licence: unsafe { said(copy.licence, "licence") }?,
                authors: unsafe { said(copy.authors, "authors") }?,
                url: unsafe { said(copy.url, "url") }?,
                doi: unsafe { said(copy.doi, "doi") }?,
            },
            contract: copy.abi_version,
            path: path.to_owned(),
            hash: OnceLock::new(),
        })
    }

    /// Reads the entries of a list, whose names are those of no other and none of `own`.
    unsafe fn offers<S: Table, C>(
        &mut self,
        kind: &str,
        (there, count, members): (*const *const S, usize, [&str; 2]),
        own: &[&str],
        common: fn(&S) -> &passel_method,
        call: unsafe fn(*const S, &S, &MethodInfo) -> Result<C, Breach>,
    ) -> Result<Vec<Offer<C>>, Breach> {
        let mut offers: Vec<Offer<C>> = Vec::new();
        // SAFETY: by the contract, here and below.
        let list = unsafe { list(there, count, members, MOST) }?;
        for (at, there) in list.into_iter().enumerate() {
            self.place = format!("{kind} {}", at + 1);
            let copy = unsafe { table(there) }?;
            let info = unsafe { self.info(common(&copy)) }?;
            let call = unsafe { call(there, &copy, &info) }?;
            let taken = offers.iter().map(|other| &*other.info.name);
            untaken(&info.name, taken.chain(own.iter().copied()))?;
            offers.push(Offer { info, call });
        }
        self.place = WHOLE.to_owned();
        Ok(offers)
    }

    unsafe fn info(&mut self, common: &passel_method) -> Result<MethodInfo, Breach> {
        // SAFETY: by the contract, here and below.
        let name = unsafe { name(common.name) }?;
        self.place += &format!(" ({name})");
        let members = ["parameters", "parameter_count"];
        let count = common.parameter_count;
        let entries = unsafe { list(common.parameters, count, members, MOST_PARAMETERS) }?;
        let mut parameters: Vec<MethodParameter> = Vec::new();
        let method = self.place.clone();
        for (at, there) in entries.into_iter().enumerate() {
            self.place = format!("{method}, parameter {}", at + 1);
            let parameter = unsafe { parameter(there) }?;
            let taken = parameters.iter().map(|other| other.name.as_str());
            // A report has the parameters beside these keys of its own.
            untaken(&parameter.name, taken.chain(["name", "value"]))?;
            if parameter.name.starts_with("plugin") {
                let name = &parameter.name;
                return Err(format!("the name `{name}` is taken").into());
            }
            parameters.push(parameter);
        }
        self.place = method;
        Ok(MethodInfo {
            name,
            title: unsafe { text(common.title, "title") }?,
            formula: unsafe { text(common.formula, "formula") }?,
            source: unsafe { text(common.source, "source") }?,
            plugin: self.plugin.to_owned(),
            parameters,
        })
    }
}

/// A text of one line that need not be there.
///
/// # Safety
/// Null, or a text that ends with a zero byte.
unsafe fn said(there: *const c_char, member: &str) -> Result<Option<String>, Breach> {
    match there.is_null() {
        true => Ok(None),
        // SAFETY: the caller's.
        false => unsafe { text(there, member) }.map(Some),
    }
}

fn untaken<'a>(name: &str, mut taken: impl Iterator<Item = &'a str>) -> Result<(), Breach> {
    match taken.any(|other| other == name) {
        true => Err(format!("the name `{name}` is taken").into()),
        false => Ok(()),
    }
}

/// # Safety
/// `there` is of a plugin that was entered, and `copy` a copy of it, here and below.
unsafe fn method(
    there: *const passel_selector,
    copy: &passel_selector,
    info: &MethodInfo,
) -> Result<MethodCall, Breach> {
    let (selector, defaults) = (Foreign(there), info.defaults());
    let called = Called::method(&info.plugin, &info.name);
    match (copy.declare, copy.run) {
        (Some(function), None) => {
            let name = info.name.as_str().into();
            let declare = DeclareCall {
                function,
                selector,
                name,
                called,
            };
            // A score that its defaults do not make is refused at load.
            if !info.has_files() {
                declare.score(&defaults)?;
            }
            Ok(MethodCall::Score(declare))
        }
        (None, Some(function)) => {
            let run = RunCall {
                function,
                check: copy.check,
                selector,
                values: defaults.clone().into(),
                has_likelihoods: is_set("likelihoods", copy.likelihoods)?,
                called,
            };
            // Values that its defaults do not make are refused at load.
            if !info.has_files() {
                run.with(&defaults)?;
            }
            match copy.over {
                PASSEL_OVER_LEVELS => Ok(MethodCall::Ranking(run)),
                PASSEL_OVER_REGRESSION => Ok(MethodCall::Regression(run)),
                value => Err(Breach::constant("over", value)),
            }
        }
        (None, None) => Err("it has neither declare nor run".into()),
        (Some(_), Some(_)) => Err("it has both declare and run; one of them is to be null".into()),
    }
}

unsafe fn parameter(there: *const passel_parameter) -> Result<MethodParameter, Breach> {
    // SAFETY: by the contract, here and below.
    let copy = unsafe { table(there) }?;
    let (default, least, most) = (copy.default_value, copy.least, copy.most);
    let finite = least.is_finite() && most.is_finite();
    if !(finite && (least..=most).contains(&default)) {
        return Err(format!(
            "its default {default} does not lie in {least} … {most}, or these are not finite"
        )
        .into());
    }
    let members = ["choices", "choice_count"];
    let choices = unsafe { list(copy.choices, copy.choice_count, members, MOST_PARAMETERS) }?;
    let choices = choices.into_iter().map(|choice| unsafe { name(choice) });
    let choices: Vec<String> = choices.collect::<Result<_, _>>()?;
    if let Some(last) = choices.len().checked_sub(1)
        && ((least, most) != (0.0, last as f64) || default.fract() != 0.0)
    {
        return Err(format!("its {} choices stand for 0 … {last}, and it has {least} … {most}, {default} by default", last + 1).into());
    }
    for (at, choice) in choices.iter().enumerate() {
        untaken(choice, choices[..at].iter().map(String::as_str))?;
    }
    let is_whole = match copy.whole {
        0 => false,
        1 if default.fract() == 0.0 => true,
        1 => return Err(format!("its default {default} is no whole number").into()),
        value => return Err(Breach::constant("whole", value as u32)),
    };
    let is_file = match copy.file {
        0 => false,
        1 if choices.is_empty() && !is_whole && (default, least, most) == (0.0, 0.0, 0.0) => true,
        1 => {
            return Err(
                "it is a file, whose default, least and most are 0, without choices".into(),
            );
        }
        value => return Err(Breach::constant("file", value as u32)),
    };
    Ok(MethodParameter {
        is_file,
        name: unsafe { name(copy.name) }?,
        help: unsafe { text(copy.help, "help") }?,
        default,
        least,
        most,
        is_whole,
        choices,
    })
}

unsafe fn pair_score(
    _: *const passel_pair_score,
    copy: &passel_pair_score,
    info: &MethodInfo,
) -> Result<PairCall, Breach> {
    if copy.function.is_null() {
        return Ok(PairCall::Quantity(contract::pair_quantity(&copy.quantity)?));
    }
    let name = info.name.as_str().into();
    // SAFETY: by the contract.
    let there = (Called::method(&info.plugin, &info.name), copy.function);
    let call = unsafe { FunctionCall::read(&name, there, &info.defaults()) };
    Ok(PairCall::Function(call?))
}

/// A member that is 0 or 1.
fn is_set(member: &str, value: usize) -> Result<bool, Breach> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(format!("{member} is {other}, which means nothing").into()),
    }
}

/// Refuses files of what reports know by numbers alone.
fn no_files(info: &MethodInfo) -> Result<(), Breach> {
    match info.parameters.iter().find(|own| own.is_file) {
        Some(own) => Err(format!(
            "its parameter {} is a file, which selectors and pair scores have alone",
            own.name
        )
        .into()),
        None => Ok(()),
    }
}

unsafe fn criterion(
    there: *const passel_criterion,
    copy: &passel_criterion,
    info: &MethodInfo,
) -> Result<CriterionCall, Breach> {
    let function = copy.value.ok_or_else(|| Breach::null("value"))?;
    no_files(info)?;
    // The report's names outlive every selection; a plugin is loaded once.
    let leaked = |text: &str| -> &'static str { Box::leak(text.into()) };
    let parameters = info.parameters.iter();
    let parameters = parameters.map(|parameter| (leaked(&parameter.name), parameter.default));
    let call = CriterionCall {
        function,
        criterion: Foreign(there),
        name: leaked(&info.name),
        parameters: parameters.collect(),
        choices: info
            .parameters
            .iter()
            .map(|own| own.choices.clone())
            .collect(),
        values: info.defaults().into(),
        has_likelihoods: is_set("likelihoods", copy.likelihoods)?,
        origin: None,
        called: Called::method(&info.plugin, &info.name),
    };
    call.checked()
}

unsafe fn family(
    there: *const passel_family,
    copy: &passel_family,
    info: &MethodInfo,
) -> Result<FamilyCall, Breach> {
    no_files(info)?;
    // SAFETY: the caller's.
    unsafe { FamilyCall::read(there, copy, [&info.plugin, &info.name], &info.parameters) }
}
