//! How far GPUs are ahead of their caller: a machine of four states, the depth of a run ahead, and
//! what redundancy is made of.

use std::{collections::VecDeque, time::Duration};

use passel_kernels::score::Pick;

use super::score::AHEAD;

/// What the GPUs have done by themselves.
///
/// A run ahead and `score` may begin in any state; `reset` leads from any to `Scored`.
///
/// | in | `sweep` of the last pick | `sweep` of another | `exclude` of the next pick | `exclude` of another |
/// | --- | --- | --- | --- | --- |
/// | `Scored` | `Scored` | `Scored` | `Unscored` | `Unscored` |
/// | `Unscored` | `Scored` | `Scored` | – | `Unscored` |
/// | `Ahead` | `Ahead`; `AnchorPending` behind the last one | `Scored` | `Ahead` | `Unscored` |
/// | `AnchorPending` | `AnchorPending` | `Scored`, once the pending one is swept | – | `AnchorPending` |
#[derive(Debug, PartialEq)]
enum State {
    /// The first slot of every GPU has the best of its candidates, or will when its stream is
    /// done; `best` is the best of all, once the host has read them.
    Scored { best: Option<Pick> },
    /// A candidate was excluded since.
    Unscored,
    /// The GPUs picked by themselves. Each pick is excluded there, and each but the last was the
    /// next anchor; the caller has still to exclude these.
    Ahead { picks: VecDeque<Pick> },
    /// The caller has excluded and swept all of them: the last is the next anchor on the GPUs,
    /// which have not counted it.
    AnchorPending,
}

/// The state, and the last pick that the caller excluded.
#[derive(Debug)]
pub(super) struct RunAhead {
    state: State,
    last: Option<Pick>,
}

impl RunAhead {
    /// Nothing has been swept or excluded, and relevance is known.
    pub(super) fn new() -> Self {
        Self {
            state: State::Scored { best: None },
            last: None,
        }
    }

    /// The next pick, if the host has one.
    pub(super) fn next(&self) -> Option<&Pick> {
        match &self.state {
            State::Scored { best } => best.as_ref(),
            State::Ahead { picks } => picks.front(),
            State::Unscored | State::AnchorPending => None,
        }
    }

    /// What the GPUs know of a column, if it is the pick that was excluded last.
    pub(super) fn last_pick(&self, column: Option<u32>) -> Option<Pick> {
        self.last.filter(|pick| Some(pick.number) == column)
    }

    pub(super) fn is_anchor_pending(&self) -> bool {
        self.state == State::AnchorPending
    }

    pub(super) fn is_scored(&self) -> bool {
        matches!(self.state, State::Scored { .. })
    }

    /// The caller sweeps this column: whether the GPUs have, or will, by themselves.
    pub(super) fn sweep(&mut self, column: Option<u32>) -> bool {
        let is_last = self.last_pick(column).is_some();
        match &self.state {
            State::Ahead { picks } if is_last => {
                if picks.is_empty() {
                    self.state = State::AnchorPending;
                }
                true
            }
            State::AnchorPending => is_last,
            _ => false,
        }
    }

    /// The GPUs score their candidates: after an anchor, or because some were excluded.
    pub(super) fn score(&mut self) {
        self.state = State::Scored { best: None };
    }

    /// The host has read the best of all.
    pub(super) fn read(&mut self, best: Option<Pick>) {
        self.state = State::Scored { best };
    }

    /// The GPUs made these picks.
    pub(super) fn picked(&mut self, picks: VecDeque<Pick>) {
        self.state = State::Ahead { picks };
    }

    /// The caller excludes a column: whether the GPUs have.
    pub(super) fn exclude(&mut self, column: u32) -> bool {
        let next = self.next().filter(|pick| pick.number == column).copied();
        self.last = next.or(self.last);
        match &mut self.state {
            State::Ahead { picks } if next.is_some() => {
                picks.pop_front();
                return true;
            }
            State::AnchorPending => {}
            _ => self.state = State::Unscored,
        }
        false
    }
}

/// Steps that GPUs make without a look of the host.
#[derive(Clone, Copy)]
pub(super) struct StepBatch {
    pub(super) count: usize,
    /// Most levels of any column.
    pub(super) levels: usize,
    /// Whether the first step has an anchor, which was chosen before.
    pub(super) pending: bool,
}

/// What redundancy is made of, besides what the GPUs gathered.
#[derive(Debug, Default)]
pub(super) struct SweptAnchors {
    count: usize,
    /// Σ over them of Σ c·L(c) over their levels.
    log_sums: i128,
    /// Whether one was not a single column without missing values.
    joined: bool,
}

impl SweptAnchors {
    /// One more; Σ c·L(c) over its levels if it is a column without missing values.
    pub(super) fn add(&mut self, log_sum: Option<i64>) {
        self.count += 1;
        self.log_sums += i128::from(log_sum.unwrap_or(0));
        self.joined |= log_sum.is_none();
    }

    /// Σ of n·I(x;w) over the anchors w, for the column x of a pick; `n` is n·L(n). None where
    /// some anchor was not a single column.
    pub(super) fn redundancy(&self, pick: &Pick, n: i64) -> Option<i128> {
        let (x, count) = (i128::from(pick.x), self.count as i128);
        let sum = pick.redundancy - count * x - self.log_sums + count * i128::from(n);
        (!self.joined).then_some(sum)
    }
}

/// A run is deeper where the last one ended within this, less deep where it took twice as long.
const SOON: Duration = Duration::from_millis(20);

/// Picks of the first run.
pub(super) const START: usize = 2;

/// Picks of a run behind one of so many picks and anchors swept: about what ends within [`SOON`].
pub(super) fn deeper(took: Duration, (picks, swept): (usize, usize), last: usize) -> usize {
    let each = took.as_nanos().max(1) / swept.max(1) as u128;
    let many = match swept {
        0 => 0,
        _ => usize::try_from(SOON.as_nanos() / each.max(1)).unwrap_or(AHEAD),
    };
    match took {
        _ if took < SOON => many.max(2 * picks).max(last).min(AHEAD),
        _ if took > 2 * SOON => many.clamp(1, last),
        _ => last,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pick(number: u32) -> Pick {
        Pick {
            number,
            ..Pick::default()
        }
    }

    fn ahead(numbers: &[u32], last: u32) -> RunAhead {
        RunAhead {
            state: State::Ahead {
                picks: numbers.iter().map(|&number| pick(number)).collect(),
            },
            last: Some(pick(last)),
        }
    }

    #[test]
    fn picks_made_ahead_are_excluded_and_swept_by_the_gpus() {
        let mut run = ahead(&[7, 5], 9);
        assert_eq!(run.next(), Some(&pick(7)));
        assert!(run.exclude(7) && run.sweep(Some(7)));
        assert_eq!(run.state, ahead(&[5], 7).state);
        assert!(run.exclude(5));
        assert_eq!(run.next(), None);
        assert!(run.sweep(Some(5)) && run.is_anchor_pending());
        assert!(run.sweep(Some(5)) && run.is_anchor_pending());
        // Another candidate is excluded while the anchor waits, another anchor swept behind it.
        assert!(!run.exclude(3) && run.is_anchor_pending());
        assert!(!run.sweep(Some(3)) && run.is_anchor_pending());
        run.score();
        assert!(run.is_scored() && run.next().is_none());
    }

    #[test]
    fn columns_that_the_gpus_did_not_pick_end_a_run() {
        for column in [None, Some(1), Some(7)] {
            let mut run = ahead(&[7, 5], 9);
            assert!(!run.sweep(column));
            assert_eq!(run.state, ahead(&[7, 5], 9).state);
        }
        let mut run = ahead(&[7, 5], 9);
        assert!(!run.exclude(5));
        assert_eq!((run.state, run.last), (State::Unscored, Some(pick(9))));
    }

    #[test]
    fn what_the_host_read_is_the_last_pick_once_it_is_excluded() {
        let mut run = RunAhead::new();
        assert!(!run.exclude(4) && run.last_pick(Some(4)).is_none());
        assert_eq!(run.state, State::Unscored);
        run.read(Some(pick(6)));
        assert!(!run.exclude(6));
        assert_eq!(run.last_pick(Some(6)), Some(pick(6)));
        assert_eq!(run.last_pick(None), None);
        // It was read, not picked ahead: the host sweeps it.
        assert!(!run.sweep(Some(6)));
    }

    #[test]
    fn runs_come_back_soon() {
        let ms = Duration::from_millis;
        // Nothing was swept yet; a step of 250 µs; the last steps of all; as fast as can be.
        assert_eq!(deeper(ms(1), (1, 0), 1), 2);
        assert_eq!(deeper(Duration::from_micros(500), (2, 2), 2), 80);
        assert_eq!(deeper(ms(1), (4, 4), 80), 80);
        assert_eq!(deeper(Duration::ZERO, (2, 2), 2), AHEAD);
        // Never less than twice as far, while that was soon.
        assert_eq!(deeper(ms(19), (80, 80), 80), 160);
        assert_eq!(deeper(ms(30), (100, 100), 100), 100);
        // A slow one, and a step that waited for what only the first needs.
        assert_eq!(deeper(ms(80), (80, 80), 80), 20);
        assert_eq!(deeper(ms(80), (2, 1), 2), 1);
        assert_eq!(deeper(ms(1), (1, 1), 1), 20);
    }
}
