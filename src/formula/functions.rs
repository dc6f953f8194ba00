//! The functions that formulas may call: their names, and how their arguments are matched.

use crate::nearest::near;

use super::error::{Located, Span};
use super::expression::{Argument, Call, Expression};
use super::fault::Fault;

/// A function with its name.
type Named = (&'static str, fn(f64) -> f64);

/// Functions of one number, value by value.
pub(super) const OF_ONE_NUMBER: [Named; 22] = [
    ("abs", f64::abs),
    ("acos", f64::acos),
    ("asin", f64::asin),
    ("atan", f64::atan),
    ("ceiling", f64::ceil),
    ("cos", f64::cos),
    ("cosh", f64::cosh),
    ("exp", f64::exp),
    ("expm1", f64::exp_m1),
    ("floor", f64::floor),
    ("log10", f64::log10),
    ("log1p", f64::ln_1p),
    ("log2", f64::log2),
    ("plogis", |x| 1.0 / (1.0 + (-x).exp())),
    ("qlogis", |p| (p / (1.0 - p)).ln()),
    ("sign", sign),
    ("sin", f64::sin),
    ("sinh", f64::sinh),
    ("sqrt", f64::sqrt),
    ("tan", f64::tan),
    ("tanh", f64::tanh),
    ("trunc", f64::trunc),
];

fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

/// Functions of a whole variable that give one number, which is learnt from the data.
pub(super) const STATISTICS: [&str; 7] = ["max", "mean", "median", "min", "sd", "sum", "var"];

/// The other functions.
const OTHERS: [&str; 27] = [
    "C",
    "I",
    "as.double",
    "as.factor",
    "as.integer",
    "as.numeric",
    "as.ordered",
    "bs",
    "c",
    "cbind",
    "contr.SAS",
    "contr.helmert",
    "contr.poly",
    "contr.sum",
    "contr.treatment",
    "cut",
    "factor",
    "log",
    "ns",
    "offset",
    "ordered",
    "pmax",
    "pmin",
    "poly",
    "relevel",
    "round",
    "scale",
];

/// Checks that a function is known.
///
/// # Errors
/// [`Fault::UnknownFunction`] with those of similar names.
pub(super) fn check_name(name: &str) -> Result<(), Fault> {
    let numeric = OF_ONE_NUMBER.iter().map(|(name, _)| *name);
    let known = OTHERS.iter().chain(&STATISTICS).copied();
    let known: Vec<&str> = known.chain(numeric).collect();
    match known.contains(&name) {
        true => Ok(()),
        false => Err(Fault::UnknownFunction {
            name: name.to_owned(),
            near: near(name, known.iter().copied()),
            known: known.into_iter().map(str::to_owned).collect(),
        }),
    }
}

/// The arguments of a call, each under the name that the function has for it.
pub(super) struct Matched<'e> {
    pub(super) function: &'e str,
    pub(super) span: Span,
    names: &'static [&'static str],
    values: Vec<Option<&'e Expression>>,
}

/// Matches arguments as R does: by whole names, then by the beginnings of names, then by position.
///
/// # Errors
/// Names that the function does not have or that begin several of its names, an argument twice,
/// too many arguments.
pub(super) fn match_arguments<'e>(
    call: &'e Call,
    span: Span,
    names: &'static [&'static str],
) -> Result<Matched<'e>, Located> {
    let function = &*call.name;
    let mut values = vec![None; names.len()];
    for argument in &call.arguments {
        let Some(name) = &argument.name else { continue };
        let place = place_of(names, name).ok_or_else(|| {
            argument.name_span.fault(Fault::UnknownArgument {
                function: function.to_owned(),
                argument: name.clone(),
                near: near(name, names.iter().copied()),
                known: names.iter().map(|name| (*name).to_owned()).collect(),
            })
        })?;
        if values[place].replace(&argument.value).is_some() {
            let function = function.to_owned();
            let argument_name = names[place];
            return Err(argument.name_span.fault(Fault::ArgumentTwice {
                function,
                argument: argument_name,
            }));
        }
    }
    let unnamed = call
        .arguments
        .iter()
        .filter(|argument| argument.name.is_none());
    for Argument { value, .. } in unnamed {
        let Some(place) = values.iter_mut().find(|place| place.is_none()) else {
            return Err(value.span.fault(Fault::TooManyArguments {
                function: function.to_owned(),
                most: names.len(),
            }));
        };
        *place = Some(value);
    }
    Ok(Matched {
        function,
        span,
        names,
        values,
    })
}

fn place_of(names: &[&str], name: &str) -> Option<usize> {
    let whole = names.iter().position(|known| *known == name);
    whole.or_else(|| {
        let mut begun = (0..names.len()).filter(|&place| names[place].starts_with(name));
        begun
            .next()
            .filter(|_| begun.next().is_none() && !name.is_empty())
    })
}

impl<'e> Matched<'e> {
    /// An argument, if it was given.
    pub(super) fn get(&self, name: &str) -> Option<&'e Expression> {
        let place = self.names.iter().position(|known| *known == name)?;
        self.values[place]
    }

    /// An argument that must be given.
    pub(super) fn require(&self, name: &'static str) -> Result<&'e Expression, Located> {
        self.get(name).ok_or_else(|| {
            self.span.fault(Fault::MissingArgument {
                function: self.function.to_owned(),
                argument: name,
            })
        })
    }

    /// The fault of an argument with another value than expected.
    pub(super) fn refuse(&self, argument: &'static str, expected: &'static str) -> Located {
        let span = self.get(argument).map_or(self.span, |value| value.span);
        span.fault(Fault::ArgumentValue {
            function: self.function.to_owned(),
            argument,
            expected,
        })
    }
}
