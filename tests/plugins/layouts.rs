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
