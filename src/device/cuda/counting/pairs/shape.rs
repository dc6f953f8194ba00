//! Which kernel bounds the pairs of two groups.

use passel_kernels::{Kernel, levels, pairs};

use super::{
    super::super::{super::DeviceError, card::Card},
    plan::Plan,
    screen::Screen,
};

/// What makes products of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Products {
    /// Tensor cores, of bits.
    Bits,
    /// Tensor cores, of bytes.
    Bytes,
    /// Ordinary cores, 32 bits at a time.
    Words,
}

impl Products {
    /// The fastest of a card: from 10.0 on those of bits are made of others.
    pub(super) fn of(card: &Card) -> Result<Self, DeviceError> {
        let asked = card.context.compute_capability();
        let (major, _) = asked.map_err(|error| card.failed("asking what it is", error))?;
        Ok(match major {
            ..8 => Self::Words,
            8 | 9 => Self::Bits,
            _ => Self::Bytes,
        })
    }

    fn kernel(self, at_once: bool) -> Kernel {
        match (self, at_once) {
            (Self::Bits, true) => pairs::KERNEL,
            (Self::Bytes, true) => pairs::BYTES,
            (Self::Words, true) => pairs::WORDS,
            (Self::Bits, false) => levels::KERNEL,
            (Self::Bytes, false) => levels::BYTES,
            (Self::Words, false) => levels::WORDS,
        }
    }
}

/// How it is launched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) function: &'static str,
    pub(super) threads: u32,
    /// Bytes of dynamic shared memory.
    pub(super) shared: u32,
    /// Whether a thread has whole tables.
    pub(super) at_once: bool,
}

impl Shape {
    /// Of two groups; whether the card brings chunks ahead.
    pub(super) fn of(plan: &Plan, screen: &Screen, (a, b): (usize, usize), ahead: bool) -> Self {
        let planes = [a, b].map(|it| plan.groups[it].planes);
        let (classes, long) = (screen.classes(), plan.n >= 1 << 16);
        let at_once = planes[0] == planes[1] && planes[0] <= 2 && classes <= 2 && !long;
        let (function, threads, shared) = match (at_once, planes[0], classes, long) {
            (false, _, _, false) => ("levels_16", levels::THREADS, 0),
            (false, _, _, true) => ("levels_32", levels::THREADS, 0),
            (true, 1, 1, _) => ("pairs_2_1", pairs::THREADS, 2),
            (true, 1, _, _) => ("pairs_2_2", pairs::THREADS, 2),
            (true, _, 1, _) => ("pairs_3_1", pairs::THREADS, 3),
            (true, ..) => ("pairs_3_2", pairs::THREADS, 3),
        };
        let shared = match shared {
            0 => levels::shared(planes, classes, long, ahead),
            levels => pairs::shared(levels, classes, ahead),
        };
        Self {
            function,
            threads,
            shared: shared as u32,
            at_once,
        }
    }

    /// The kernels of these.
    pub(super) fn kernels(all: &[Self], products: Products) -> Vec<Kernel> {
        let used = |at_once: &bool| all.iter().any(|it| it.at_once == *at_once);
        let used = [true, false].into_iter().filter(used);
        used.map(|it| products.kernel(it)).collect()
    }
}
