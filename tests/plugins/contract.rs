//! A plugin in C: whole, of other sizes, and with every fault the contract can have.

use passel::{
    plugin::{About, MethodKind, Plugins},
    score::{Combination, Gathered, Join, PairScore, Quantity, Totals},
};
use tempfile::tempdir;

use super::{built, c_plugin};

/// Something finishes the score.
const FINISHED: &str = "FAULT=(score->join=0,score->finish=&finish)";

/// The score is a function.
const CODED: &str = "FAULT=score->function=&coded";

/// Loads the C plugin with these definitions; none where there is no compiler.
fn load(defined: &[&str]) -> Option<Result<Plugins, String>> {
    let folder = tempdir().unwrap();
    let path = c_plugin(folder.path(), defined)?;
    let found = Plugins::find(std::slice::from_ref(&path));
    Some(found.map_err(|error| {
        assert_eq!(error.path, path);
        let told = error.to_string();
        let told = told.strip_prefix(&format!("{}: ", path.display()));
        told.unwrap().to_owned()
    }))
}

#[test]
fn a_plugin_in_c_brings_a_selector_and_a_pair_score() {
    let Some(plugins) = load(&[]) else { return };
    let plugins = plugins.unwrap();
    let plugin = plugins
        .plugins()
        .iter()
        .find(|plugin| plugin.name == "plain");
    let plugin = plugin.unwrap();
    assert_eq!(plugin.version, "1.2");
    assert_eq!(plugin.description, "a plugin in C");
    let settled = plugins.method("c-jmi:weight=3").unwrap();
    assert_eq!(settled.parameters, [("weight".to_owned(), 3.0.into())]);
    let MethodKind::Score(score) = settled.value else {
        panic!("{settled:?}");
    };
    assert_eq!(score.terms()[0].weight, 3.0);
    assert_eq!(score.join, Join::Alone);
    let pair = plugins.pair_score("c-mi3").unwrap();
    let mi3 = PairScore::Declared(Quantity::plain(Combination::XW_Y));
    assert_eq!(pair.value, mi3);
    let told = plugins.method("c-jmi:weight=2").unwrap_err().to_string();
    assert_eq!(
        told,
        "method `c-jmi` of plugin `plain`: it has no such score: c-jmi knows no 2"
    );
}

#[test]
fn what_finishes_a_score_is_told_what_a_candidate_and_the_chosen_have() {
    let defined = [
        "FAULT=(score->terms[0].quantity.over=(passel_combination){1,-1,-1,0,1,0,0,0},\
         score->terms[0].weight=1,score->join=0,score->finish=&finish)",
    ];
    let Some(plugins) = load(&defined) else {
        return;
    };
    let MethodKind::Score(score) = plugins.unwrap().method("c-jmi:weight=0.5").unwrap().value
    else {
        panic!("no score");
    };
    let finish = score.finish.unwrap();
    assert_eq!(finish.0.tolerance(), 1e-12);
    let mut chosen = Totals {
        count: 3,
        relevance: 10.0,
        ..Totals::default()
    };
    chosen.values[0] = 6.0;
    let own = Gathered {
        relevance: 4.0,
        steps: 2,
        values: &[2.0],
        chosen: &chosen,
    };
    let expected = 4.0 - 0.5 * (2.0 + 6.0) / 4.0 + 1e-5 - 2e-7;
    assert!((finish.0.score(&own) - expected).abs() < 1e-15);
}

#[test]
fn a_plugin_says_whose_it_is_where_it_says_so() {
    let silent = load(&[]);
    let about = "ABOUT=\"MIT\",\"A. One, B. Two\",0,\"10.1000/182\"";
    let (Some(silent), Some(told)) = (silent, load(&[about])) else {
        return;
    };
    let of = |plugins: Result<Plugins, String>| plugins.unwrap().plugins()[0].about.clone();
    assert_eq!(of(silent), About::default());
    let expected = About {
        licence: Some("MIT".to_owned()),
        authors: Some("A. One, B. Two".to_owned()),
        url: None,
        doi: Some("10.1000/182".to_owned()),
    };
    assert_eq!(of(told), expected);
    let fault = load(&["ABOUT=\"MIT\\n\",0,0,0"]).unwrap().unwrap_err();
    let reason = "the plugin: licence is no line of UTF-8 of at most 4096 bytes";
    assert_eq!(fault, reason);
}

#[test]
fn structs_of_older_contracts_are_read_as_far_as_they_go() {
    let older = [
        "PLUGIN_SIZE=offsetof(passel_plugin,pair_scores)",
        "SELECTOR_SIZE=offsetof(passel_selector,over)",
    ];
    let Some(plugins) = load(&older) else { return };
    let plugins = plugins.unwrap();
    assert!(plugins.method("c-jmi").is_ok());
    assert!(plugins.pair_score("c-mi3").is_err());
}

#[test]
fn every_fault_is_one_error() {
    let jmi = "selector 1 (c-jmi): ";
    for (defined, told) in [
        (
            &["ENTRY=passel_plugin_other"][..],
            "not a plugin of this name: it has no `passel_plugin_plain`",
        ),
        (
            &["VERSION=0"],
            "it says that it was made with contract 0, which never was: start it with its sizeof and PASSEL_ABI_VERSION",
        ),
        (
            &["GIVES_UP"],
            "its entry gave up: it returned null and did not say why",
        ),
        (&["GIVES_UP", "LOGGED"], "its entry gave up: the weather"),
        (
            &["PLUGIN_SIZE=16"],
            "the plugin: its size is 16, at least 56 is needed: start it with its own sizeof",
        ),
        (
            &["PLUGIN=\"other\""],
            "the plugin: it calls itself `other`, its library `plain`",
        ),
        (&["PLUGIN=0"], "the plugin: name is null"),
        (
            &["COUNT=1u<<20"],
            "the plugin: selector_count is 1048576, at most 1024 are taken",
        ),
        (&["SELECTORS=0"], "the plugin: selectors is null"),
        (&["NAME=0"], "selector 1: name is null"),
        (
            &["NAME=\"JMI\""],
            "selector 1: the name `JMI` is not a small letter, then small letters, digits, -",
        ),
        (
            &["NAME=\"pass\""],
            "selector 1 (pass): the name `pass` is taken",
        ),
        (
            &["COUNT=2"],
            "selector 2 (c-jmi): the name `c-jmi` is taken",
        ),
        (
            &["SELECTOR_SIZE=8"],
            "selector 1: its size is 8, at least 72 is needed: start it with its own sizeof",
        ),
        (&["DECLARE=0"], "it has neither declare nor run"),
        (&["TITLE=0"], "title is null"),
        (
            &["TITLE=\"\\xff\""],
            "title is no line of UTF-8 of at most 4096 bytes",
        ),
        (
            &["TITLE=\"a\\nb\""],
            "title is no line of UTF-8 of at most 4096 bytes",
        ),
        (
            &["DEFAULT=(0.0/0.0)"],
            "selector 1 (c-jmi), parameter 1: its default NaN does not lie in 0 … 8, or these are not \
             finite",
        ),
        (
            &["PARAMETER=\"plugin\""],
            "selector 1 (c-jmi), parameter 1: the name `plugin` is taken",
        ),
        (
            &["DEFAULT=9"],
            "selector 1 (c-jmi), parameter 1: its default 9 does not lie in 0 … 8, or these are not \
             finite",
        ),
        (&["DEFAULT=2"], "it has no such score: c-jmi knows no 2"),
        (
            &["FAULT=score->gather=6"],
            "gather is 6, which means nothing",
        ),
        (
            &["FAULT=score->term_count=9"],
            "9 terms; at most 8 are summed",
        ),
        (
            &["FAULT=score->relevance.over.w=1"],
            "relevance has a margin of the anchor; it is of x and y alone",
        ),
        (
            &["FAULT=score->terms[0].weight=0.0/0.0"],
            "the weight of term 0 is NaN; weights are −1048576 … 1048576",
        ),
        (
            &["FAULT=score->relevance.under.x=INT32_MIN"],
            "a combination's integers sum to 2147483648; at most 64 have room",
        ),
        (&["FAULT=score->join=4"], "join is 4, which means nothing"),
        (
            &["FAULT=score->against=3"],
            "against is 3, which means nothing",
        ),
        (
            &["FAULT=score->terms[0].part=2"],
            "part is 2, which means nothing",
        ),
        (&["FAULT=score->ends=2"], "ends is 2, which means nothing"),
        (
            &["FAULT=(score->ends=1,score->floor=0.0/0.0)"],
            "its floor is NaN",
        ),
        (
            &["FAULT=(score->ends=1,score->floor=-1.0/0.0)"],
            "its floor is -inf",
        ),
        (
            &[CODED, "TOLERANCE=0.02"],
            "the tolerance is 0.02; it is 0 … 0.01",
        ),
        (
            &[CODED, "TOLERANCE=-1"],
            "the tolerance is -1; it is 0 … 0.01",
        ),
        (
            &[CODED, "TOLERANCE=(0.0/0.0)"],
            "the tolerance is NaN; it is 0 … 0.01",
        ),
        (&[CODED, "VALUE=0"], "value is null"),
        (
            &[CODED, "FUNCTION_SIZE=8"],
            "its size is 8, at least 32 is needed: start it with its own sizeof",
        ),
        (
            &["FAULT=score->finish=&finish"],
            "it has a join, and what finishes a score takes the place of that",
        ),
        (
            &["FAULT=score->combine=4"],
            "its terms are gathered apart, and nothing finishes the score",
        ),
        (
            &["FAULT=score->combine=5"],
            "combine is 5, which means nothing",
        ),
        (
            &["FAULT=score->reserved=1"],
            "reserved is 1, which means nothing",
        ),
        (
            &["FAULT=(score->combine=1,score->function=&coded)"],
            "its terms are combined, and a function has none",
        ),
        (&[FINISHED, "SCORE=0"], "score is null"),
        (
            &[FINISHED, "FINISH_SIZE=8"],
            "its size is 8, at least 24 is needed: start it with its own sizeof",
        ),
        (
            &[FINISHED, "FINISH_TOLERANCE=1"],
            "the tolerance is 1; it is 0 … 0.01",
        ),
        (
            &["PAIR={1,-1,0,-1,0,1,0,0}"],
            "pair score 1 (c-mi3): exchanging x and w changes it: the integers of x and w, of \
             xy and wy must be equal",
        ),
        (
            &["PAIR={60,0,0,5,0,0,0,0}"],
            "pair score 1 (c-mi3): a combination's integers sum to 65; at most 64 have room",
        ),
    ] {
        let Some(refused) = load(defined) else { return };
        let refused = refused.unwrap_err();
        let found = refused.strip_prefix(jmi).unwrap_or(&refused);
        let already = told.ends_with("from ") && found.starts_with(told);
        assert!(found == told || already, "{defined:?}: {refused}");
    }
}

#[cfg(unix)]
#[test]
fn a_library_that_lacks_a_symbol_is_refused_before_it_is_called() {
    let Some(refused) = load(&["UNRESOLVED"]) else {
        return;
    };
    let told = refused.unwrap_err();
    assert!(told.starts_with("the system does not load it: "), "{told}");
    assert!(told.contains("a_function_of_no_library"), "{told}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_for_another_processor_is_told_as_one() {
    use std::{env::consts::ARCH, fs};
    let folder = tempdir().unwrap();
    let Some(path) = c_plugin(folder.path(), &[]) else {
        return;
    };
    for (machine, name) in [(183_u16, "aarch64"), (62, "x86_64"), (8, "ELF machine 8")] {
        if name == ARCH {
            continue;
        }
        let mut bytes = fs::read(&path).unwrap();
        bytes[18..20].copy_from_slice(&machine.to_le_bytes());
        let other = folder.path().join("other");
        fs::write(&other, bytes).unwrap();
        let told = Plugins::find(std::slice::from_ref(&other)).unwrap_err();
        let reason = format!("it is built for {name}, this passel for {ARCH}");
        assert_eq!(told.to_string(), format!("{}: {reason}", other.display()));
    }
}

#[test]
fn of_what_two_libraries_bring_the_first_is_meant_or_the_one_that_is_named() {
    let (folder, other) = (tempdir().unwrap(), tempdir().unwrap());
    let source = "tests/plugins/runs.c";
    let Some(first) = built(folder.path(), source, "runs", &[]) else {
        return;
    };
    let more = ["ENTRY=passel_plugin_more", "PLUGIN=\"more\""];
    let second = built(other.path(), source, "more", &more).unwrap();
    let both = [first.clone(), second.clone()];
    let plugins = Plugins::find(&both).unwrap();
    let of = |name: &str| plugins.method(name).map(|own| (own.name, own.library));
    let own = "c-run".to_owned();
    assert_eq!(of("c-run"), Ok((own.clone(), first.clone())));
    assert_eq!(of("runs/c-run"), Ok((own.clone(), first.clone())));
    assert_eq!(of("more/c-run"), Ok((own.clone(), second.clone())));
    let by_path = format!("{}/c-run", second.display());
    assert_eq!(of(&by_path), Ok((own.clone(), second.clone())));
    let criterion = plugins.criterion("more/c-price").unwrap();
    assert_eq!(
        (criterion.plugin.as_str(), criterion.library),
        ("more", second.clone())
    );
    // The other way round.
    let turned = Plugins::find(&[second.clone(), first]).unwrap();
    assert_eq!(turned.method("c-run").unwrap().library, second);
    let told = |name: &str| plugins.method(name).unwrap_err().to_string();
    assert_eq!(told("mroe/c-run"), "there is no method `mroe/c-run`");
    assert_eq!(
        told("more/c-rum"),
        "there is no method `more/c-rum`; did you mean `c-run`?"
    );
    // A library of one's own stands before what ships.
    let mine = built(
        other.path(),
        "tests/plugins/plugin.c",
        "plain",
        &["NAME=\"jmi\""],
    )
    .unwrap();
    let plugins = Plugins::find(std::slice::from_ref(&mine)).unwrap();
    assert_eq!(plugins.method("jmi").unwrap().library, mine);
    assert_eq!(
        plugins.method("information/jmi").unwrap().plugin,
        "information"
    );
    // Two versions of one plugin stand side by side by their paths.
    let older = tempdir().unwrap();
    let older = built(
        older.path(),
        "tests/plugins/plugin.c",
        "plain",
        &["NAME=\"jmi\""],
    )
    .unwrap();
    let plugins = Plugins::find(&[mine.clone(), older.clone()]).unwrap();
    for library in [mine, older] {
        let name = format!("{}/jmi", library.display());
        assert_eq!(plugins.method(&name).unwrap().library, library);
    }
}
