//! How often each variable was selected.

use passel::stability::{Frequency, ResampledSelections, Resampling};

#[test]
fn frequencies_count_resamples_and_complementary_pairs() {
    let done = [vec![4, 1], vec![1], vec![4], vec![4, 2], vec![9]];
    let selections = ResampledSelections {
        done: done.into_iter().enumerate().collect(),
    };
    assert_eq!(selections.mean(), 7.0 / 5.0);
    let frequency = |index, count, both| Frequency { index, count, both };
    let whole = selections
        .clone()
        .complete_groups(Resampling::Complementary);
    assert_eq!(whole.done.len(), 4, "the last has no other half");
    assert_eq!(
        whole.frequencies(Resampling::Complementary),
        [frequency(4, 3, 1), frequency(1, 2, 1), frequency(2, 1, 0)]
    );
    let alone = selections.complete_groups(Resampling::Bootstrap);
    let frequencies = alone.frequencies(Resampling::Bootstrap);
    assert_eq!(frequencies.len(), 4);
    assert!(frequencies.iter().all(|one| one.both == 0));
    assert_eq!(ResampledSelections::default().mean(), 0.0);
}
