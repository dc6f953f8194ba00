//! Tables that give no score.

use super::{
    coded_tests::{PLACES, coded, ranked, score},
    declared_tests::column,
    *,
};
use crate::{
    binning::BinnedColumn,
    device::{DeviceChoice, DeviceError, ScoreFault, UndefinedScore},
    score::{CountTable, Gather, Join, Measure},
    selection::StopReason,
};

/// A fault at the columns of more levels than four, from the second step on.
fn faulty(value: impl Fn() -> f64 + Send + Sync + 'static) -> Score {
    let value = move |table: &CountTable| match table.w {
        2.. if table.x > 4 => value(),
        _ => 1.0 / table.x as f64,
    };
    score(
        Measure::Function(coded(value, 0.0)),
        Gather::Sum,
        Join::Alone,
    )
}

#[test]
fn a_function_that_no_gpu_has_is_refused_there_whether_there_are_any_or_not() {
    let columns = BinnedColumns {
        n: 8,
        columns: vec![column(0, 2, vec![0; 8])],
        response: column(0, 2, vec![1; 8]),
        local: None,
    };
    let score = faulty(|| 0.0);
    let resources = Resources {
        devices: DeviceChoice::Cuda(Vec::new()),
        ..Resources::default()
    };
    let (stop, never) = (Stop::default(), Interrupt::default());
    let refused = rank(&columns, &score, &stop, &resources, &never, &mut |_, _| {});
    assert!(matches!(refused, Err(SelectorError::NoCuda)), "{refused:?}");
}

#[test]
fn what_is_no_score_ends_a_selection_with_what_was_chosen_before() {
    let own = |at: usize| column(at, 2 + at, vec![0; 8]);
    let columns = BinnedColumns {
        n: 8,
        columns: (0..10).map(own).collect(),
        response: column(0, 1, vec![0; 8]),
        local: None,
    };
    let unscored = |reason| {
        Some(DeviceError::UndefinedScore(UndefinedScore {
            column: 3,
            other: None,
            reason,
        }))
    };
    for places in PLACES {
        let found = |score| ranked(&columns, &score, 5, places);
        for (score, fault) in [
            (faulty(|| f64::NAN), ScoreFault::NotANumber),
            (faulty(|| f64::INFINITY), ScoreFault::Infinite),
            (
                faulty(|| panic!("no way")),
                ScoreFault::Panicked("no way".into()),
            ),
        ] {
            let found = found(score);
            assert_eq!(found.fault, unscored(fault));
            assert_eq!(
                (found.chosen.len(), found.termination),
                (1, StopReason::Fault)
            );
        }
        // −∞ is a score, of those never chosen.
        let found = found(faulty(|| f64::NEG_INFINITY));
        assert_eq!((found.fault, found.chosen.len()), (None, 3));
        assert_eq!(found.termination, StopReason::Done);
    }
}

#[test]
fn more_cells_than_are_counted_are_refused_or_end_a_selection() {
    let wide = |levels: [usize; 3]| {
        let own = |at: usize| BinnedColumn {
            levels: levels[at],
            ..column(at, 2, vec![0, 1])
        };
        BinnedColumns {
            n: 2,
            columns: (0..3).map(own).collect(),
            response: column(0, 2, vec![0, 1]),
            local: None,
        }
    };
    let refused = |levels, against, top| {
        let measure = Measure::Function(coded(|_| 1.0, 0.0));
        let score = Score {
            against,
            ..score(measure, Gather::Sum, Join::Alone)
        };
        let stop = Stop {
            permutation: None,
            top: Some(top),
            threshold: None,
        };
        let (resources, never) = (Resources::cpu(1), Interrupt::default());
        let columns = wide(levels);
        rank(&columns, &score, &stop, &resources, &never, &mut |_, _| {})
    };
    // 2 · 2¹³ · 2¹³ are as many as there may be.
    let most = 1 << 13;
    assert!(refused([2, most, most], Against::Last, 3).is_ok());
    let told = refused([2, most, most + 1], Against::Last, 2).unwrap_err();
    assert_eq!(
        told.to_string(),
        "score of `x2` and `x1` needs a table of 134234112 cells, and 134217728 are the most that \
         are counted; make fewer levels, with --binning equal-frequency:5, say"
    );
    assert!(refused([2, most, most + 1], Against::Last, 1).is_ok());
    // What is joined has as many levels as occur.
    let found = refused([2, most, most + 1], Against::Joint, 3).unwrap();
    assert_eq!((found.chosen.len(), found.fault), (3, None));
    let joint = refused([1 << 25, 1 << 25, 1 << 25], Against::Joint, 3).unwrap();
    assert_eq!(joint.chosen.len(), 1);
    assert!(matches!(
        joint.fault,
        Some(DeviceError::UndefinedScore(UndefinedScore {
            column: 1,
            ..
        }))
    ));
}
