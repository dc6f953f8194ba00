//! Sums over risk sets, and over the risk sets that a row is in.

use super::response::{Group, SurvivalResponse};

/// Of a difference of sums that is a smaller share of them nothing is left but rounding.
pub(super) const LOSS: f64 = 1e-8;

/// Hazards on scales on which none overflows: of a row that of the first group at which it is at risk, the largest linear
/// predictor of all who began until then. Later groups' scales are no smaller.
#[derive(Debug, Clone, Default)]
pub(super) struct Scales {
    /// Of each group.
    pub(super) shifts: Vec<f64>,
    /// What turns sums of the group before into the scale of this one.
    decays: Vec<f64>,
    /// Of each row the number of that group; past the last one for rows that are never at risk. That of an event is its own.
    pub(super) first: Vec<u32>,
    /// By place in [`SurvivalResponse::entries`], what turns the value of a row that enters late into the scale of the first
    /// group at which it does.
    late: Vec<f64>,
}

impl Scales {
    pub(super) fn of(response: &SurvivalResponse, predictors: &[f64]) -> Self {
        let groups = &response.groups;
        let mut own = Self {
            first: vec![groups.len() as u32; predictors.len()],
            ..Self::default()
        };
        let (mut at, mut stratum, mut shift) = (0, usize::MAX, f64::NEG_INFINITY);
        for (number, group) in groups.iter().enumerate() {
            if group.stratum != stratum {
                (at, stratum, shift) = (group.rows.start, group.stratum, f64::NEG_INFINITY);
            }
            let before = shift;
            let started = at..group.rows.end.max(at);
            own.first[started.clone()].fill(number as u32);
            let largest = predictors[started].iter().copied();
            shift = largest.fold(shift, f64::max);
            at = at.max(group.rows.end);
            own.shifts.push(shift);
            // Of none before, nothing; of the same scale 1, without an exponential.
            own.decays.push(match before == shift {
                true => 1.0,
                false => (before - shift).exp(),
            });
        }
        own.late = vec![1.0; response.entries.len()];
        let mut place = 0;
        for (number, group) in groups.iter().enumerate() {
            place = group.late.start.max(place);
            for place in place..group.late.end {
                own.late[place] = own.to_group(response.entries[place] as usize, number);
            }
            place = group.late.end.max(place);
        }
        own
    }

    /// What turns a value on the scale of a row into that of a group at which it is at risk.
    pub(super) fn to_group(&self, row: usize, group: usize) -> f64 {
        (self.shifts[self.first[row] as usize] - self.shifts[group]).exp()
    }
}

/// Sums over the risk set and over the events of each group, of `L` values side by side, in the order of the groups and on
/// their scales. Of groups that are to be made `afresh`, told their number and the sums of those who began and of those of
/// them who enter late, the sum is no difference of these.
#[inline(always)]
pub(super) fn sums_over_groups<const L: usize>(
    (response, scales): (&SurvivalResponse, &Scales),
    value: impl Fn(usize) -> [f64; L],
    mut afresh: impl FnMut(usize, &[f64; L], &[f64; L]) -> bool,
    mut visit: impl FnMut(usize, &Group, [f64; L], [f64; L]),
) {
    let (mut at, mut late, mut stratum) = (0, 0, usize::MAX);
    let (mut sum, mut gone) = ([0.0; L], [0.0; L]);
    for (number, group) in response.groups.iter().enumerate() {
        if group.stratum != stratum {
            stratum = group.stratum;
            (at, late) = (group.rows.start, group.rows.start);
            (sum, gone) = ([0.0; L], [0.0; L]);
        }
        let decay = scales.decays[number];
        if decay != 1.0 {
            for lane in 0..L {
                sum[lane] *= decay;
                gone[lane] *= decay;
            }
        }
        while at < group.events.start {
            add(&mut sum, value(at), 1.0);
            at += 1;
        }
        // An event is at risk from its own group on, on whose scale it is.
        let mut events = [0.0; L];
        while at < group.rows.end {
            let own = value(at);
            add(&mut sum, own, 1.0);
            add(&mut events, own, 1.0);
            at += 1;
        }
        while late < group.late.end {
            let row = response.entries[late] as usize;
            add(&mut gone, value(row), scales.late[late]);
            late += 1;
        }
        let mut all = sum;
        if !group.late.is_empty() {
            if afresh(number, &sum, &gone) {
                all = [0.0; L];
                let at_risk = |row: &usize| !response.is_late(*row, group);
                for row in group.rows.clone().filter(at_risk) {
                    add(&mut all, value(row), scales.to_group(row, number));
                }
            } else {
                add(&mut all, gone, -1.0);
            }
        }
        visit(number, group, all, events);
    }
}

#[inline(always)]
fn add<const L: usize>(sums: &mut [f64; L], values: [f64; L], factor: f64) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += factor * value;
    }
}

/// Of each row, on its scale, the sum of a value over the groups at which it is at risk.
pub(super) fn sums_over_rows(
    (response, scales): (&SurvivalResponse, &Scales),
    value: impl Fn(usize) -> f64,
) -> Vec<f64> {
    let groups = &response.groups;
    // From each group on, on its scale: rows that are at risk there are so at all later ones, but for those who enter late.
    let mut from_here = vec![0.0; groups.len()];
    for number in (0..groups.len()).rev() {
        let next = groups.get(number + 1);
        let is_same = next.is_some_and(|next| next.stratum == groups[number].stratum);
        let rest = match is_same {
            true => from_here[number + 1] * scales.decays[number + 1],
            false => 0.0,
        };
        from_here[number] = value(number) + rest;
    }
    let own = |row: usize| {
        from_here
            .get(scales.first[row] as usize)
            .copied()
            .unwrap_or(0.0)
    };
    let mut sums: Vec<f64> = (0..response.n()).map(own).collect();
    // Those who enter at a group's time or later are not at risk there, nor at the groups after it.
    let mut place = 0;
    for (number, group) in groups
        .iter()
        .enumerate()
        .filter(|(_, group)| !group.late.is_empty())
    {
        place = group.late.start.max(place);
        while place < group.late.end {
            let row = response.entries[place] as usize;
            let late = from_here[number] * scales.late[place];
            place += 1;
            sums[row] -= late;
            if sums[row].abs() <= LOSS * late.abs() {
                let first = scales.first[row] as usize;
                sums[row] = (first..number)
                    .map(|at| value(at) * scales.to_group(row, at))
                    .sum();
            }
        }
    }
    sums
}
