//! From the devices that a user chose to those that are there.

use super::{DeviceChoice, DeviceError, cuda};
use crate::ranks::Communicator;

// As measured of an H100 beside 2 and 16 cores (docs/performance.md, "Where a search runs").

/// Seconds that CUDA takes to start and to end, with compiled kernels at hand.
const START: f64 = 0.5;

/// Seconds that it takes to copy an element of X to a GPU.
const COPY: f64 = 0.7e-9;

/// Seconds of a core for an element of X in a search with the default settings, polish and proof included.
const ELEMENT: f64 = 25e-9;

/// Whether GPUs would be done before so many threads of the CPU, of a work that takes so many times as long as a search
/// with the default settings of a matrix of so many elements.
pub(crate) fn gpus_pay(elements: usize, times: f64, threads: usize) -> bool {
    let elements = elements as f64;
    elements * times * ELEMENT / threads as f64 > START + elements * COPY
}

/// The devices that a search or selection runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Placement {
    /// The CPU, with its columns in this many shards.
    Cpu(usize),
    /// The GPUs with these ordinals, at least one.
    Cuda(Vec<usize>),
}

impl Placement {
    /// Resolves a choice for work for which GPUs pay or not ([`gpus_pay`]). A GPU that is named twice counts once.
    /// Returns a note for the report if [`DeviceChoice::Auto`] finds GPUs that it cannot use.
    ///
    /// # Errors
    /// GPUs that were requested and do not exist or cannot be used.
    pub(crate) fn resolve(
        choice: &DeviceChoice,
        gpus_pay: bool,
    ) -> Result<(Self, Option<String>), DeviceError> {
        let placement = match choice {
            DeviceChoice::Cpu(count) => Self::Cpu(count.get()),
            DeviceChoice::Auto if !gpus_pay => Self::Cpu(1),
            DeviceChoice::Auto => match cuda::count() {
                Ok(count) => Self::Cuda((0..count).collect()),
                Err(error) => {
                    let note = format!("the CPU was used, for the GPUs cannot be: {error}");
                    return Ok((Self::Cpu(1), cuda::is_there().then_some(note)));
                }
            },
            DeviceChoice::Cuda(ordinals) => {
                let count = cuda::count()?;
                if let Some(&asked) = ordinals.iter().find(|ordinal| **ordinal >= count) {
                    return Err(DeviceError::NoSuchDevice { asked, count });
                }
                let mut distinct: Vec<usize> = Vec::new();
                for ordinal in ordinals {
                    if !distinct.contains(ordinal) {
                        distinct.push(*ordinal);
                    }
                }
                Self::Cuda(match distinct.is_empty() {
                    true => (0..count).collect(),
                    false => distinct,
                })
            }
        };
        Ok((placement, None))
    }

    /// The part of this placement that is this rank's: ranks on one host divide its GPUs among
    /// them, or share a GPU where they outnumber them.
    pub(crate) fn for_rank(self, communicator: Option<&Communicator>) -> Self {
        let Self::Cuda(ordinals) = self else {
            return self;
        };
        let (at, of) = communicator.map_or((0, 1), Communicator::local_rank_and_size);
        let count = ordinals.len();
        Self::Cuda(match of <= count {
            true => ordinals[at * count / of..(at + 1) * count / of].to_vec(),
            false => vec![ordinals[at % count]],
        })
    }

    /// Checks that requested GPUs are there, before a table is read that may take long.
    ///
    /// # Errors
    /// As [`Placement::resolve`].
    pub(crate) fn check(choice: &DeviceChoice) -> Result<(), DeviceError> {
        match choice {
            DeviceChoice::Cuda(_) => Self::resolve(choice, true).map(drop),
            DeviceChoice::Auto | DeviceChoice::Cpu(_) => Ok(()),
        }
    }

    /// What `open` opens on this placement, or on the CPU, with a note, where GPUs that were not
    /// asked for cannot all be used: that is no reason to fail.
    pub(crate) fn open<T>(
        &mut self,
        choice: &DeviceChoice,
        notes: &mut Vec<String>,
        open: impl Fn(&Self) -> Result<T, DeviceError>,
    ) -> Result<T, DeviceError> {
        match open(self) {
            Err(error) if matches!(self, Self::Cuda(_)) && *choice == DeviceChoice::Auto => {
                let note = "the CPU was used, for not all GPUs can be";
                notes.push(format!("{note}: {error}"));
                *self = Self::Cpu(1);
                open(self)
            }
            opened => opened,
        }
    }

    /// Host threads that the devices need: one for each GPU, which waits for it.
    pub(crate) fn host_threads(&self) -> usize {
        match self {
            Self::Cpu(_) => 1,
            Self::Cuda(ordinals) => ordinals.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_pay_for_much_work_of_few_cores() {
        // By measurement: 4,000 × 40,000 took 16 cores .57 s and an H100 .8 s, two cores many times as long.
        assert!(!gpus_pay(160_000_000, 1.0, 16) && gpus_pay(160_000_000, 1.0, 2));
        assert!(gpus_pay(160_000_000, 16.0, 16));
        assert!(!gpus_pay(40_000_000, 1.0, 2) && gpus_pay(1 << 26, 1.0, 2));
        for threads in [1, 2, 16, 64] {
            assert!(!gpus_pay(1 << 20, 1.0, threads) && gpus_pay(1 << 40, 4.0, threads));
        }
    }

    #[test]
    fn only_gpus_that_were_not_asked_for_give_way_to_the_cpu() {
        let error = || DeviceError::Ranks("gone".to_owned());
        let open = |place: &Placement| match place {
            Placement::Cpu(count) => Ok(*count),
            Placement::Cuda(_) => Err(error()),
        };
        let opened = |choice: DeviceChoice| {
            let (mut place, mut notes) = (Placement::Cuda(vec![0]), Vec::new());
            let opened = place.open(&choice, &mut notes, open);
            (opened, notes)
        };
        let note = format!("the CPU was used, for not all GPUs can be: {}", error());
        assert_eq!(opened(DeviceChoice::Auto), (Ok(1), vec![note]));
        let asked = opened(DeviceChoice::Cuda(vec![0]));
        assert_eq!(asked, (Err(error()), Vec::new()));
    }
}
