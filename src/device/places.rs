//! Which devices there are for what was chosen.

use super::{DeviceChoice, DeviceError, MIN_GPU_ELEMENTS, cuda};
use crate::ranks::Communicator;

/// Where the devices of a search are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Placement {
    /// The CPU, in so many shards.
    Cpu(usize),
    /// The GPUs of these ordinals, at least one.
    Cuda(Vec<usize>),
}

impl Placement {
    /// Those chosen, for n × p elements; a GPU named twice counts once. A note where there
    /// are GPUs that cannot be used, and nobody asked for them.
    ///
    /// # Errors
    /// GPUs that were asked for and are not there.
    pub(crate) fn resolve(
        choice: &DeviceChoice,
        elements: usize,
    ) -> Result<(Self, Option<String>), DeviceError> {
        let places = match choice {
            DeviceChoice::Cpu(count) => Self::Cpu(count.get()),
            DeviceChoice::Auto if elements < MIN_GPU_ELEMENTS => Self::Cpu(1),
            DeviceChoice::Auto => match cuda::count() {
                Ok(count) => Self::Cuda((0..count).collect()),
                Err(error) => {
                    let note = format!("the CPU was used, for the GPUs cannot be: {error}");
                    return Ok((Self::Cpu(1), cuda::is_there().then_some(note)));
                }
            },
            DeviceChoice::Cuda(ordinals) => {
                let count = cuda::count()?;
                if let Some(&asked) = ordinals.iter().find(|it| **it >= count) {
                    return Err(DeviceError::NoSuchDevice { asked, count });
                }
                let mut once: Vec<usize> = Vec::new();
                for ordinal in ordinals {
                    if !once.contains(ordinal) {
                        once.push(*ordinal);
                    }
                }
                Self::Cuda(match once.is_empty() {
                    true => (0..count).collect(),
                    false => once,
                })
            }
        };
        Ok((places, None))
    }

    /// Of ranks on one machine each has some of its GPUs, or shares one with others.
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

    /// Whether the GPUs asked for are there: to be known before a long reading.
    ///
    /// # Errors
    /// As [`Placement::resolve`].
    pub(crate) fn check(choice: &DeviceChoice) -> Result<(), DeviceError> {
        match choice {
            DeviceChoice::Cuda(_) => Self::resolve(choice, 0).map(drop),
            DeviceChoice::Auto | DeviceChoice::Cpu(_) => Ok(()),
        }
    }

    /// Threads that wait for a device of their own.
    pub(crate) fn host_threads(&self) -> usize {
        match self {
            Self::Cpu(_) => 1,
            Self::Cuda(ordinals) => ordinals.len(),
        }
    }
}
