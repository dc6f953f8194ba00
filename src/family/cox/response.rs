//! Survival times: who is at risk when.

use std::{ops::Range, sync::OnceLock};

use super::super::FamilyError;

/// How events at equal times share their risk set.
///
/// *Source:* B. Efron, The efficiency of Cox's likelihood function for censored data, Journal of the American Statistical
/// Association 72, 1977; N. Breslow, Covariance analysis of censored survival data, Biometrics 30, 1974.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// Of d events the l-th has at risk a share l/d of each of them less.
    #[default]
    Efron,
    /// Each has all at risk.
    Breslow,
}

impl Ties {
    /// All, the default first.
    pub const ALL: [Self; 2] = [Self::Efron, Self::Breslow];

    /// Its name, as options have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Efron => "efron",
            Self::Breslow => "breslow",
        }
    }
}

/// Survival times as they are told.
///
/// *Shapes:* n values each; `entry`, `strata`, `weights` and `offset` n or none.
#[derive(Debug, Clone, Copy, Default)]
pub struct SurvivalTimes<'a> {
    /// When an observation ended.
    pub time: &'a [f64],
    /// Whether it ended by an event (1), or was censored (0).
    pub event: &'a [f64],
    /// When it began to be at risk: after that time.
    pub entry: &'a [f64],
    /// Observations of different numbers are never at risk together.
    pub strata: &'a [u32],
    /// How much an observation counts.
    pub weights: &'a [f64],
    /// What is added to its linear predictor.
    pub offset: &'a [f64],
    /// How equal times are treated.
    pub ties: Ties,
}

/// What events must be.
const NO_EVENT: &str = "neither 1, an event, nor 0, censored; where another number is an event, as 2 of 1 and 2, name it with \
                        --success";

/// The events at one time of a stratum.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Group {
    /// The place of its stratum.
    pub(crate) stratum: usize,
    /// The rows of the stratum whose times are not before: at risk but for those who have not entered.
    pub(crate) rows: Range<usize>,
    /// The rows of the events.
    pub(crate) events: Range<usize>,
    /// The places in [`SurvivalResponse::entries`] of rows of the stratum that enter at this time or later.
    pub(crate) late: Range<usize>,
    /// The sum of the events' weights.
    pub(crate) weight: f64,
    pub(crate) time: f64,
}

impl Group {
    /// Of Efron's l-th event of d the share l/d by which the events are less at risk.
    pub(crate) fn shares(&self, ties: Ties) -> impl Iterator<Item = f64> + use<> {
        let d = self.events.len();
        (0..d).map(move |l| match ties {
            Ties::Efron => l as f64 / d as f64,
            Ties::Breslow => 0.0,
        })
    }
}

/// A response of survival times, its rows by stratum and falling time.
#[derive(Debug, Clone)]
pub struct SurvivalResponse {
    /// Of each row its number among the observations.
    order: Vec<usize>,
    pub(super) time: Vec<f64>,
    pub(super) event: Vec<bool>,
    /// When each row begins to be at risk; empty where all are from the beginning.
    pub(super) entry: Vec<f64>,
    pub(crate) weights: Vec<f64>,
    /// In the order of the observations.
    pub(crate) offset: Vec<f64>,
    /// The rows of each stratum.
    pub(crate) strata: Vec<Range<usize>>,
    /// By stratum and falling time.
    pub(crate) groups: Vec<Group>,
    /// Rows by stratum and falling entry; none where all are there from the beginning.
    pub(crate) entries: Vec<u32>,
    /// The place of each row there.
    places: Vec<u32>,
    pub(crate) ties: Ties,
    /// −2ℓ of the empty model, once it is asked for.
    pub(super) empty: OnceLock<Option<f64>>,
}

/// How many of the first 0, 1, … are so.
fn counted(are_so: impl Iterator<Item = bool>) -> Vec<usize> {
    let add = |sum: &mut usize, is_so| {
        *sum += usize::from(is_so);
        Some(*sum)
    };
    std::iter::once(0).chain(are_so.scan(0, add)).collect()
}

impl SurvivalResponse {
    /// Sorts survival times.
    ///
    /// # Errors
    /// A time, an event, an entry, a weight or an offset that is none, with its row; no event; nobody else at
    /// risk at every event.
    pub fn new(times: &SurvivalTimes) -> Result<Self, FamilyError> {
        let own = Self::of_any(times)?;
        own.check()?;
        Ok(own)
    }

    /// Survival times of which there may be no event, and nobody else at risk.
    pub(super) fn of_any(times: &SurvivalTimes) -> Result<Self, FamilyError> {
        let n = times.time.len();
        let parts = [
            ("events", times.event.len(), false),
            ("entry times", times.entry.len(), true),
            ("strata", times.strata.len(), true),
            ("weights", times.weights.len(), true),
            ("offset", times.offset.len(), true),
        ];
        for (what, found, may_lack) in parts {
            if found != n && !(may_lack && found == 0) {
                return Err(FamilyError::Length { what, found, n });
            }
        }
        let or = |values: &[f64], row: usize, other: f64| values.get(row).copied().unwrap_or(other);
        for row in 0..n {
            let number = |what, value: f64, wrong| {
                let row = row + 1;
                Err(FamilyError::Number {
                    row,
                    what,
                    value,
                    wrong,
                })
            };
            let (time, event) = (times.time[row], times.event[row]);
            let entry = or(times.entry, row, f64::NEG_INFINITY);
            let (weight, offset) = (or(times.weights, row, 1.0), or(times.offset, row, 0.0));
            if !time.is_finite() {
                return number("time", time, "no number");
            }
            if times.entry.is_empty() && time < 0.0 {
                return number(
                    "time",
                    time,
                    "below 0, which times may be with --entry alone",
                );
            }
            if event != 0.0 && event != 1.0 {
                return number("event", event, NO_EVENT);
            }
            if !times.entry.is_empty() && !entry.is_finite() {
                return number("entry time", entry, "no number");
            }
            if entry >= time {
                return number(
                    "entry time",
                    entry,
                    "not before the end: leave the row out, or mend its times",
                );
            }
            if !(weight >= 0.0 && weight.is_finite()) {
                return number("weight", weight, "no number from 0 on");
            }
            if !offset.is_finite() {
                return number("offset", offset, "no number");
            }
        }
        // Of 0 and −0 one is as early as the other.
        let time_of = |row: usize| times.time[row] + 0.0;
        let entry_of = |row: usize| or(times.entry, row, f64::NEG_INFINITY) + 0.0;
        let stratum = |row: usize| times.strata.get(row).copied().unwrap_or(0);
        // An observation of weight 0 is no event, and at risk without a weight.
        let is_event = |row: usize| times.event[row] == 1.0 && or(times.weights, row, 1.0) > 0.0;
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|a, b| {
            let times = time_of(*b).total_cmp(&time_of(*a));
            let events = is_event(*a).cmp(&is_event(*b));
            stratum(*a)
                .cmp(&stratum(*b))
                .then(times)
                .then(events)
                .then(a.cmp(b))
        });
        let sorted = |of: &dyn Fn(usize) -> f64| order.iter().map(|row| of(*row)).collect();
        let time: Vec<f64> = sorted(&time_of);
        let event: Vec<bool> = order.iter().map(|row| is_event(*row)).collect();
        let weights: Vec<f64> = sorted(&|row| or(times.weights, row, 1.0));
        let offset: Vec<f64> = (0..n).map(|row| or(times.offset, row, 0.0)).collect();
        let entry: Vec<f64> = sorted(&entry_of);
        let mut strata: Vec<Range<usize>> = Vec::new();
        for (at, row) in order.iter().enumerate() {
            match strata.last_mut() {
                Some(last) if stratum(order[last.start]) == stratum(*row) => last.end = at + 1,
                _ => strata.push(at..at + 1),
            }
        }
        let mut entries: Vec<u32> = Vec::new();
        if !times.entry.is_empty() {
            for rows in &strata {
                let start = entries.len();
                entries.extend(rows.clone().map(|row| row as u32));
                entries[start..].sort_by(|a, b| entry[*b as usize].total_cmp(&entry[*a as usize]));
            }
        }
        let mut groups = Vec::new();
        for (number, rows) in strata.iter().enumerate() {
            let mut at = rows.start;
            let mut late = rows.start;
            while at < rows.end {
                let equal = time[at..rows.end]
                    .iter()
                    .take_while(|own| **own == time[at]);
                let end = at + equal.count();
                let first = (at..end).find(|row| event[*row]).unwrap_or(end);
                while !entries.is_empty()
                    && late < rows.end
                    && entry[entries[late] as usize] >= time[at]
                {
                    late += 1;
                }
                if first < end {
                    groups.push(Group {
                        stratum: number,
                        rows: rows.start..end,
                        events: first..end,
                        late: match entries.is_empty() {
                            true => 0..0,
                            false => rows.start..late,
                        },
                        weight: weights[first..end].iter().sum(),
                        time: time[at],
                    });
                }
                at = end;
            }
        }
        Ok(Self {
            order,
            time,
            event,
            entry: match times.entry {
                [] => Vec::new(),
                _ => entry,
            },
            weights,
            offset,
            strata,
            groups,
            places: {
                let mut places = vec![0; entries.len()];
                let numbered = (0..).zip(&entries);
                numbered.for_each(|(place, row)| places[*row as usize] = place);
                places
            },
            entries,
            ties: times.ties,
            empty: OnceLock::new(),
        })
    }

    /// Checks that events say something of a model.
    fn check(&self) -> Result<(), FamilyError> {
        if self.groups.is_empty() {
            return Err(FamilyError::NoEvent);
        }
        if self.events() < 2 {
            return Err(FamilyError::OneEvent);
        }
        // Those of weight 0 are not there.
        let rows = counted(self.weights.iter().map(|weight| *weight > 0.0));
        let of_entries = self.entries.iter();
        let entries = counted(of_entries.map(|row| self.weights[*row as usize] > 0.0));
        let among = |counts: &[usize], own: &Range<usize>| counts[own.end] - counts[own.start];
        let is_alone = |group: &Group| {
            among(&rows, &group.rows) - among(&entries, &group.late) == group.events.len()
        };
        if !self.groups.iter().all(is_alone) {
            return Ok(());
        }
        let first = self.groups[0].time;
        Err(
            match self.groups.iter().all(|group| group.events.len() == 1) {
                true => FamilyError::NobodyElseAtRisk,
                false => FamilyError::EventsAtOnce {
                    is_one_time: self.groups.iter().all(|group| group.time == first),
                },
            },
        )
    }

    /// Observations.
    pub fn n(&self) -> usize {
        self.time.len()
    }

    /// Whether a row is not yet at risk at a group's time.
    pub(crate) fn is_late(&self, row: usize, group: &Group) -> bool {
        let place = self.places.get(row).map(|place| *place as usize);
        place.is_some_and(|place| group.late.contains(&place))
    }

    /// Values of observations in the order of the rows.
    pub(crate) fn sorted(&self, values: &[f64]) -> Vec<f64> {
        self.order.iter().map(|row| values[*row]).collect()
    }

    /// Values of rows in the order of the observations.
    pub(crate) fn unsorted(&self, values: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; values.len()];
        self.order
            .iter()
            .zip(values)
            .for_each(|(row, value)| all[*row] = *value);
        all
    }

    /// Of each row its number among the observations.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// When each row ended, and whether by an event.
    pub fn times(&self) -> impl Iterator<Item = (f64, bool)> {
        self.time.iter().copied().zip(self.event.iter().copied())
    }

    /// The rows of each stratum.
    pub fn strata(&self) -> &[Range<usize>] {
        &self.strata
    }

    /// How events at equal times share their risk set.
    pub fn ties(&self) -> Ties {
        self.ties
    }

    /// How many events there are.
    pub fn events(&self) -> usize {
        self.event.iter().filter(|event| **event).count()
    }

    /// −2ℓ that no model goes below: of predictors that tell each event from all others at risk.
    pub(crate) fn least(&self) -> f64 {
        let of_group = |group: &Group| {
            let each = group.weight / group.events.len() as f64;
            let shares = group.shares(self.ties).map(|share| (1.0 - share).ln());
            group.weight * group.weight.ln() + each * shares.sum::<f64>()
        };
        2.0 * self.groups.iter().map(of_group).sum::<f64>()
    }
}
