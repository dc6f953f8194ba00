//! `passel plugins --check LIBRARY`: what an author wants to know of a library before its users do.

use std::{
    ffi::OsStr,
    hint::black_box,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use clap::ArgMatches;
use passel_criteria::{Criterion, Model};
use tempfile::NamedTempFile;

use super::{
    EXIT_DONE, EXIT_FAILED, EXIT_USAGE,
    check_calls::{Checked, is_repeatable, of_function, speed},
    check_family::of_family,
    check_method::method_of,
    check_step,
    check_values::{NOT_TRIED, not_brought, of_refusal, specs},
    print::{print_error, print_text},
};
use crate::{
    batch::{Child, ended_text, ordered},
    foreign_calls::Work,
    interrupt::Interrupt,
    plugin::{self, Plugins},
    score::PairScore,
};

/// What the exit code of a check that came to its end begins with.
const COMPLETE: u8 = 100;

/// How long one look at the process of a check waits.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Checks a library in a process of its own, which it may end; the exit code.
pub(super) fn check(matches: &ArgMatches, library: &Path) -> u8 {
    let given = matches.get_many::<String>("with").unwrap_or_default();
    let given: Vec<&str> = given.map(String::as_str).collect();
    if let Some(steps) = matches.get_one::<PathBuf>("here") {
        check_step::begin(steps);
        let code = COMPLETE + in_child(library, &given);
        // A method may run on that does not heed its time limit.
        plugin::end_now(code);
    }
    // Where it was when it died, it cannot tell.
    let steps = match NamedTempFile::new() {
        Ok(file) => file,
        Err(error) => {
            print_error(&format!("error: no temporary file can be made: {error}"));
            return EXIT_FAILED;
        }
    };
    let arguments = ["plugins", "--here"].map(OsStr::new).into_iter();
    let arguments = arguments.chain([steps.path().as_os_str(), "--check".as_ref()]);
    let arguments = arguments.chain([library.as_os_str()]);
    let with = given.iter().flat_map(|own| ["--with", own]).map(OsStr::new);
    let arguments = arguments.chain(with);
    let status = Child::start(arguments, "", false).and_then(|mut child| {
        loop {
            if let Some(status) = child.wait(LOOK_EVERY)? {
                return Ok(status);
            }
        }
    });
    match status {
        Ok(status) => match status.code().and_then(|code| u8::try_from(code).ok()) {
            Some(code @ COMPLETE..) => code - COMPLETE,
            // Whatever it says of success: a library can end it, too.
            _ => {
                let (library, ended) = (library.display(), ended_text(status));
                print_error(&format!(
                    "error: {library}: the check did not come to its end: its process {ended}{}",
                    check_step::told(steps.as_file())
                ));
                if ended.contains("(SIGSEGV)") || ended.contains("(SIGBUS)") {
                    print_error(
                        "help: what plugins are lent ends where a page does, and none of it can be touched once the call is over",
                    );
                }
                EXIT_FAILED
            }
        },
        Err(error) => {
            print_error(&format!(
                "error: no process can be started for the check: {error}"
            ));
            EXIT_FAILED
        }
    }
}

/// Checks a library in this process, which ends with the one that started it.
fn in_child(library: &Path, given: &[&str]) -> u8 {
    let _ = ordered(&Interrupt::default());
    // No call has more time than calls have after the end of their time.
    Work::current().ends_at(Instant::now());
    check_here(library, given)
}

fn check_here(library: &Path, given: &[&str]) -> u8 {
    let named = [library.to_owned()];
    let plugins = match Plugins::find(&named) {
        Ok(plugins) => plugins,
        Err(error) => {
            print_error(&format!("error: {error}"));
            return EXIT_USAGE;
        }
    };
    let Some(plugin) = plugins.plugins().first() else {
        return EXIT_USAGE;
    };
    if let Some(unknown) = not_brought(plugin, given) {
        print_error(&format!(
            "error: --with {unknown}: the plugin brings nothing of this name"
        ));
        return EXIT_USAGE;
    }
    let (mut done, mut failed) = (0, 0);
    let mut tell = |what: &str, name: &str, checked: Checked| {
        // As it comes: what follows may end this process.
        let (word, text) = match checked {
            Ok(text) => ("ok    ", text),
            Err(text) => ("FAILED", text),
        };
        let word = if text.starts_with(NOT_TRIED) {
            "-     "
        } else {
            word
        };
        done += 1;
        failed += usize::from(word == "FAILED");
        print_text(&format!("{word}  {what} {name}: {text}\n"));
    };
    let asked = |spec: &str| format!("{}/{spec}", plugin.name);
    for method in &plugin.methods {
        for spec in specs(&method.info, given) {
            check_step::at(&format!("method {spec}"));
            let own = plugins.method(&asked(&spec)).map(|own| own.value);
            let checked = match own {
                Err(error) => of_refusal(&method.info, &spec, &error),
                Ok(kind) => method_of(library, &asked(&spec), &kind),
            };
            tell("method", &spec, checked);
        }
    }
    for pair in &plugin.pair_scores {
        for spec in specs(&pair.info, given) {
            check_step::at(&format!("pair score {spec}"));
            let checked = match plugins.pair_score(&asked(&spec)).map(|own| own.value) {
                Err(error) => of_refusal(&pair.info, &spec, &error),
                Ok(PairScore::Declared(_)) => Ok("declared".to_owned()),
                Ok(PairScore::Function(function)) => of_function(&function, true),
            };
            tell("pair score", &spec, checked);
        }
    }
    for criterion in &plugin.criteria {
        for spec in specs(&criterion.info, given) {
            check_step::at(&format!("criterion {spec}"));
            let checked = match plugins.criterion(&asked(&spec)) {
                Err(error) => of_refusal(&criterion.info, &spec, &error),
                Ok(own) => of_criterion(&own.value),
            };
            tell("criterion", &spec, checked);
        }
    }
    for family in &plugin.families {
        for spec in specs(&family.info, given) {
            check_step::at(&format!("family {spec}"));
            let checked = match plugins.family(&asked(&spec)) {
                Err(error) => of_refusal(&family.info, &spec, &error),
                Ok(own) => of_family(own.value),
            };
            tell("family", &spec, checked);
        }
    }
    let (name, version) = (&plugin.name, &plugin.version);
    print_text(&format!(
        "{name} {version}: {done} checked, {failed} failed\n"
    ));
    match failed {
        0 => EXIT_DONE,
        _ => EXIT_FAILED,
    }
}

/// A criterion: it does not fall where RSS, or −2ℓ, rises, and is the same again.
fn of_criterion(criterion: &Arc<dyn Criterion>) -> Checked {
    let (mut models, mut undefined) = (Vec::new(), None);
    for n in [10, 100, 10_000, 500_000] {
        for p in [1, 20, 100_000] {
            for k in (0..=12).chain([50, 400]).filter(|k| *k <= p && k + 4 < n) {
                for kept in [0, 2] {
                    let of = |e: i32| Model {
                        kept,
                        ..Model::new(n, p, k, n as f64 * 10_f64.powi(e))
                    };
                    models.extend((-8..=8).map(of));
                    let of = |misfit: f64| Model {
                        kept,
                        minus_two_log_likelihood: Some(misfit),
                        family: c"poisson",
                        scatter: 0,
                        ..Model::new(n, p, k, f64::NAN)
                    };
                    if !criterion.needs_least_squares() {
                        models.extend((-8..=8).map(|at| of(f64::from(at) * n as f64)));
                    }
                }
            }
        }
    }
    check_step::step("models of any size");
    // What a plugin does with what it is lent beyond that ends this process.
    plugin::guarded(|| {
        models.iter().for_each(|model| {
            black_box(criterion.value(model));
        });
    });
    let values = is_repeatable(&models, |model| criterion.value(model))?;
    for (pair, value) in models.windows(2).zip(values.windows(2)) {
        let about = |model: &Model| {
            format!(
                "n = {}, candidates = {}, chosen = {}, kept = {}",
                model.n, model.candidates, model.chosen, model.kept
            )
        };
        if value[0].is_nan() {
            undefined = undefined.or(Some(about(&pair[0])));
        }
        let misfits = [&pair[0], &pair[1]].map(|model| match model.minus_two_log_likelihood {
            Some(own) => ("misfit", own),
            None => ("rss", model.rss),
        });
        let [(member, before), (of_next, after)] = misfits;
        if member == of_next && before < after && value[1] < value[0] {
            return Err(format!(
                "it falls from {} to {} where {member} rises from {before:e} to {after:e}, at {}",
                value[0],
                value[1],
                about(&pair[0])
            ));
        }
    }
    let undefined = undefined.map(|at| format!("; NaN, which counts as +∞, at {at} first"));
    Ok(format!(
        "{} models, {}{}",
        models.len(),
        speed(|| criterion.value(&models[9])),
        undefined.unwrap_or_default()
    ))
}
