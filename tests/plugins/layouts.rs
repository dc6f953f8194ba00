//! Libraries whose structs end before this contract's do, or after.

use passel::{
    criteria::Model,
    plugin::{MethodKind, Plugins},
    score::PairScore,
};
use tempfile::tempdir;

use super::built;

fn load(defined: &[&str]) -> Option<Plugins> {
    let folder = tempdir().unwrap();
    let path = built(folder.path(), "tests/plugins/older.c", "older", defined)?;
    Some(Plugins::find(&[path]).unwrap())
}

#[test]
fn structs_that_end_earlier_or_later_are_read_as_far_as_they_go() {
    for defined in [&[][..], &["NEWER"]] {
        let Some(plugins) = load(defined) else { return };
        let MethodKind::Score(score) = plugins.method("early").unwrap().value else {
            panic!("{defined:?}");
        };
        assert!(score.function().is_some(), "{defined:?}");
        let pair = plugins.pair_score("early-pair").unwrap().value;
        assert!(matches!(pair, PairScore::Declared(_)), "{defined:?}");
        let criterion = plugins.criterion("early-price").unwrap().value;
        assert_eq!(criterion.value(&Model::new(9, 9, 2, 1.5)), 3.5);
    }
}

#[test]
fn what_a_later_contract_appended_must_be_zero_and_what_it_needs_is_there_or_told() {
    let refused = |defined: &[&str]| {
        let folder = tempdir().unwrap();
        let path = built(folder.path(), "tests/plugins/older.c", "older", defined)?;
        let error = Plugins::find(&[path]).unwrap_err();
        Some(error.reason)
    };
    let Some(told) = refused(&["NEWER", "LATER=1"]) else {
        return;
    };
    // The plugin itself is read first.
    let known = size_of::<passel_abi::passel_plugin>();
    assert_eq!(
        told,
        format!(
            "the plugin: byte {} of it is set, behind the {known} that contract 1 of passel {} knows: it asks for what a later \
             contract has",
            known + size_of::<usize>(),
            env!("CARGO_PKG_VERSION")
        )
    );
    let told = refused(&["NEEDS=2", "VERSION=3"]).unwrap();
    assert_eq!(
        told,
        "it was made with contract 3 and needs 2 at least, and this passel has contract 1: a later passel has it"
    );
    let told = refused(&["NEEDS=2"]).unwrap();
    assert_eq!(
        told,
        "it needs contract 2, and says that it was made with 1"
    );
    // Made with a later contract, and content with this one.
    let plugins = load(&["NEWER", "VERSION=3", "NEEDS=1"]).unwrap();
    assert!(plugins.method("early").is_ok());
}

#[test]
fn a_plugin_that_ends_before_its_pair_scores_has_none_and_no_criteria() {
    let Some(plugins) = load(&["ALONE"]) else {
        return;
    };
    let older = plugins
        .plugins()
        .iter()
        .find(|plugin| plugin.name == "older");
    let older = older.unwrap();
    let counts = [
        older.methods.len(),
        older.pair_scores.len(),
        older.criteria.len(),
    ];
    assert_eq!(counts, [1, 0, 0]);
}
