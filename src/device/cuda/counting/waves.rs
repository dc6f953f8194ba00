//! Steps of a GPU that counts its dense columns lazily.
//!
//! Anchors stay on the GPU. A step lays the next one out, counts the columns that are not dense
//! against it, and launches three waves of `kernels::deferred`. Each wave is `select`, which lists
//! columns and anchors to count, `dense`, which counts the lists, and `settle`, which gathers the
//! sums and finds the best. None asks the host, so that a GPU may be given steps ahead.
//!
//! A pick is *known* when no candidate's bound is above its score. Where the lists were too short
//! for that, its slot says `STALLED`, what was launched behind it does nothing, and the host
//! repeats the last wave until the pick is known:
//!
//! ```text
//! step: BEST ─▶ ONE ─▶ WINNERS ─▶ known ─▶ the next step
//!                        ▲  │
//!                        │  ▼
//!          resolve_stalled STALLED ─▶ later steps do nothing
//! ```

use std::mem::offset_of;

use passel_kernels::{
    deferred::{self, BEST, EVERYTHING, KERNEL, ONE, STALLED, WINNERS, WaveControl},
    dense::{DenseArgs, LISTING},
    score::ScoreArgs,
};

use super::{
    super::gpu::arguments,
    anchors::AnchorSource,
    deferred::{DURING, DeferredCounts, LazyOptions, ListLaunch, THREADS, pays},
    form::VECTOR,
    score::{Phase, Slot},
    shard::Shard,
    sweep_buffers::AnchorBuffers,
};
use crate::device::DeviceError;

/// One wave.
#[derive(Clone, Copy)]
struct Wave {
    kind: i32,
    /// Whether the sums of columns that are not dense are at hand, to be gathered.
    gathers: bool,
    /// Whether it goes on where a wave stalled.
    resumes: bool,
    slot: Slot,
}

impl Shard {
    /// Counts dense columns lazily from now on, where that pays and there is room: against anchors
    /// of up to so many levels. Nothing has been gathered.
    pub(super) fn evaluate_lazily(
        &mut self,
        levels: usize,
        bounded_by_relevance: bool,
        options: LazyOptions,
    ) -> Result<(), DeviceError> {
        let against = (levels, self.anchors.classes);
        if !pays(&self.gpu, &self.packs, against, options) {
            return Ok(());
        }
        self.gpu.load(&[LISTING, KERNEL])?;
        let (gpu, packs) = (&self.gpu, &self.packs);
        self.deferred =
            match DeferredCounts::new(gpu, packs, against, bounded_by_relevance, options) {
                // Every step counts all columns then.
                Err(DeviceError::OutOfMemory { .. }) => None,
                deferred => deferred?,
            };
        Ok(())
    }

    /// Items counted so far.
    #[cfg(test)]
    pub(super) fn items_counted(&self) -> Result<u64, DeviceError> {
        let mut counted = [0];
        if let Some(deferred) = &self.deferred {
            let at = deferred.control(offset_of!(WaveControl, counted));
            self.gpu.download(at, &mut counted)?;
        }
        self.gpu.wait(DURING)?;
        Ok(counted[0])
    }

    /// Makes room for the anchors of so many steps ahead of the host; how many there is room for.
    pub(super) fn reserve(&mut self, count: usize) -> Result<usize, DeviceError> {
        let Some(deferred) = &mut self.deferred else {
            return Ok(count);
        };
        let wanted = deferred.kept() + count;
        if wanted > deferred.room
            && !deferred.grow(&self.gpu, wanted.max(2 * deferred.room))?
            && !deferred.grow(&self.gpu, wanted)?
        {
            // No column lacks an anchor then, and none has to be kept.
            self.catch_up()?;
        }
        let deferred = self.deferred.as_ref();
        Ok(deferred.map_or(count, |own| count.min(own.room - own.kept())))
    }

    /// Counts every anchor that candidates lack which may ever be chosen.
    fn catch_up(&mut self) -> Result<(), DeviceError> {
        let all = Wave {
            kind: EVERYTHING,
            gathers: false,
            resumes: true,
            slot: Slot::FIRST,
        };
        let mut lacks = self.keeps_anchors();
        while lacks {
            self.launch_wave(all)?;
            self.gpu.wait(DURING)?;
            lacks = self.is_stalled(0);
        }
        self.set_all_gathered(0)
    }

    fn keeps_anchors(&self) -> bool {
        let deferred = self.deferred.as_ref();
        deferred.is_some_and(|deferred| deferred.kept() > 0)
    }

    fn is_stalled(&self, slot: usize) -> bool {
        self.score.picks.get()[slot].number == STALLED
    }

    fn set_all_gathered(&mut self, more: usize) -> Result<(), DeviceError> {
        match &mut self.deferred {
            Some(deferred) => deferred.set_all_gathered(&self.gpu, more),
            None => Ok(()),
        }
    }

    /// [`Shard::step`] where dense columns are counted lazily.
    pub(super) fn step_lazily(
        &mut self,
        source: AnchorSource,
        slot: Slot,
    ) -> Result<(), DeviceError> {
        self.reserve(1)?;
        let own = matches!(source, AnchorSource::Chosen { .. } | AnchorSource::Place(_));
        let bounded = |deferred: &&mut DeferredCounts| {
            own && (deferred.bounded_by_relevance || deferred.steps > 0)
        };
        let Some(deferred) = self.deferred.as_mut().filter(bounded) else {
            self.catch_up()?;
            self.step_all(source, slot)?;
            return self.set_all_gathered(1);
        };
        let joint = deferred.joint.at(deferred.kept() * deferred.stride);
        let to = Some((joint, deferred.bits));
        deferred.steps += 1;
        let buffers = AnchorBuffers {
            skips_dense: true,
            ..self.lay_out(source, self.anchors.classes, to)?
        };
        self.sweep(buffers, self.score.output())?;
        self.launch_waves(true, slot)
    }

    /// [`Shard::rescore`] where dense columns are counted lazily.
    pub(super) fn rescore_lazily(&mut self, phase: Phase, slot: Slot) -> Result<(), DeviceError> {
        if let (Phase::Forget, Some(deferred)) = (phase, &mut self.deferred) {
            deferred.restart(&self.gpu)?;
        }
        match self.keeps_anchors() {
            true => self.launch_waves(false, slot),
            false => self.rescore_all(phase, slot),
        }
    }

    /// Repeats the last wave of the first pick that is not known until it is; how many of so many
    /// slots have a pick then.
    pub(super) fn resolve_stalled(&mut self, count: usize) -> Result<usize, DeviceError> {
        let stalled = (0..count).find(|&number| self.is_stalled(number));
        let (Some(number), Some(deferred)) = (stalled, &mut self.deferred) else {
            return Ok(count);
        };
        // Steps launched behind it did nothing.
        deferred.steps -= count - 1 - number;
        let again = Wave {
            kind: WINNERS,
            gathers: false,
            resumes: true,
            slot: Slot {
                number,
                chosen: deferred.chosen,
            },
        };
        while self.is_stalled(number) {
            self.launch_wave(again)?;
            self.gpu.wait(DURING)?;
        }
        Ok(number + 1)
    }

    /// The waves of a step, or of scores anew without an anchor.
    fn launch_waves(&mut self, has_anchor: bool, slot: Slot) -> Result<(), DeviceError> {
        if let Some(deferred) = &mut self.deferred {
            deferred.chosen = slot.chosen;
        }
        for kind in [BEST, ONE, WINNERS] {
            self.launch_wave(Wave {
                kind,
                gathers: has_anchor && kind == BEST,
                // Nothing is behind one that is scored again: it goes on where it stalled.
                resumes: !has_anchor,
                slot,
            })?;
        }
        Ok(())
    }

    fn launch_wave(&self, wave: Wave) -> Result<(), DeviceError> {
        let Some(deferred) = &self.deferred else {
            return Ok(());
        };
        let (phase, steps) = match wave.gathers {
            true => (Phase::Gather { misses: false }, deferred.steps - 1),
            false => (Phase::Nothing, deferred.steps),
        };
        let last = matches!(wave.kind, WINNERS | EVERYTHING);
        let (chosen, known) = (wave.slot.chosen && last, Some(steps as u32));
        let scoring = self.score.arguments(phase, chosen, known);
        let args = deferred::DeferredArgs {
            places: deferred.places as u32,
            base: deferred.base as u32,
            done: deferred.done.address(),
            start: deferred.start.address(),
            many: deferred.many.address(),
            items: deferred.items.address(),
            lists: deferred.lists,
            anchors: deferred.anchors.address(),
            xw: deferred.xw.address(),
            xwy: deferred.xwy.address(),
            found: deferred.found.address(),
            control: deferred.control(0),
            wave: wave.kind,
            last: i32::from(last),
            resumes: i32::from(wave.resumes),
        };
        let grid = (scoring.count.div_ceil(THREADS as u32), 1, 1);
        let launch = |function, args: &mut [_]| {
            let threads = THREADS as u32;
            self.gpu.launch(&KERNEL, function, grid, threads, 0, args)
        };
        launch("select", arguments![scoring, args])?;
        for list in &deferred.launches {
            self.count_list(deferred, list)?;
        }
        // `select` gathered what was at hand.
        let scoring = ScoreArgs {
            gathers: 0,
            steps_known: deferred.steps as u32,
            ..scoring
        };
        let pick = self.score.pick(wave.slot.number);
        launch("settle", arguments![scoring, args, pick])
    }

    fn count_list(
        &self,
        deferred: &DeferredCounts,
        launch: &ListLaunch,
    ) -> Result<(), DeviceError> {
        let list = deferred.lists[launch.number];
        let (n, first) = (self.packs.layout.n, list.offset as usize);
        let listed = offset_of!(WaveControl, wanted) + 8 * launch.number;
        let args = DenseArgs {
            columns: 1,
            rows: n as i64,
            vectors: n.div_ceil(VECTOR) as i64,
            joint: deferred.joint.address(),
            joint_stride: deferred.stride as i64,
            anchors: deferred.anchors.address(),
            classes: self.anchors.classes as u32,
            copies: launch.config.copies as i32,
            parts: 1,
            words: launch.words as u32,
            terms: self.terms.address(),
            xw: deferred.xw.at(first),
            xwy: deferred.xwy.at(first),
            items: deferred.items.at(first),
            listed: deferred.control(listed),
            capacity: u64::from(list.capacity),
            all: self.packs.places.address(),
            ..DenseArgs::default()
        };
        let blocks = launch.blocks.min(list.capacity as usize) as u32;
        let (threads, shared) = (launch.config.threads as u32, 4 * launch.words as u32);
        let (grid, args) = ((blocks, 1, 1), arguments![args]);
        self.gpu
            .launch(&LISTING, launch.function, grid, threads, shared, args)
    }
}
