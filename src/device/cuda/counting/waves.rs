//! Steps of a GPU whose dense columns are put off.
//!
//! Anchors stay on the GPU. A step lays the next one out, counts what is not dense beside it,
//! and launches the waves of `kernels::deferred`; nothing of that asks the host, so that a GPU may
//! be given steps ahead. Where lists are too short the pick is not known yet: what was launched
//! behind it does nothing, and the host has the last wave go on.

use std::mem::offset_of;

use passel_kernels::{
    deferred::{self, BEST, EVERYTHING, ONE, STALLED, WINNERS, WaveControl},
    dense::DenseArgs,
    score::ScoreArgs,
};

use super::{
    super::{super::DeviceError, gpu::arguments},
    kernel_choice::{GpuLimits, PackShape},
    layout::{Form, VECTOR},
    lazy::{Launch, Lazy, LazyOptions, THREADS},
    score::Phase,
    shard::{AnchorSource, Shard},
    sweep::AnchorBuffers,
    tiny,
};

const DURING: &str = "counting by bounds";

/// One wave.
#[derive(Clone, Copy)]
struct Wave {
    kind: i32,
    gathers: bool,
    resumes: bool,
    chosen: bool,
    slot: usize,
}

impl Shard {
    /// Puts the dense columns off, where these are enough: for anchors of up to so many levels;
    /// whether relevance bounds what follows. Nothing has been gathered.
    pub(super) fn put_off(
        &mut self,
        levels: usize,
        from_relevance: bool,
        waves: LazyOptions,
    ) -> Result<(), DeviceError> {
        let limits = GpuLimits::from(&self.gpu);
        let mut cost = 0;
        for pack in &self.packs.layout.packs {
            let counts = pack.count * self.n;
            let shape = PackShape::of(pack, self.n, (levels, self.classes));
            cost += match pack.form {
                Form::Dense { .. } if tiny::config(&shape, limits).is_some() => {
                    counts / tiny::SPEEDUP
                }
                Form::Dense { .. } => counts,
                _ => 0,
            };
        }
        if cost < waves.from.max(1) {
            return Ok(());
        }
        self.gpu.load(passel_kernels::DEFERRED)?;
        let wide = (levels, self.classes);
        match Lazy::new(&self.gpu, &self.packs, wide, from_relevance, waves) {
            Ok(lazy) => self.lazy = lazy,
            // Every step counts all then.
            Err(DeviceError::OutOfMemory { .. }) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Items counted so far.
    #[cfg(test)]
    pub(super) fn items(&self) -> Result<u64, DeviceError> {
        let mut counted = [0];
        if let Some(lazy) = &self.lazy {
            let at = lazy.control(offset_of!(WaveControl, counted));
            self.gpu.download(at, &mut counted)?;
        }
        self.gpu.wait(DURING)?;
        Ok(counted[0])
    }

    /// Steps that there is room for, of so many that are to follow without a look at them.
    pub(super) fn reserve(&mut self, count: usize) -> Result<usize, DeviceError> {
        let Some(lazy) = &mut self.lazy else {
            return Ok(count);
        };
        let wanted = lazy.kept() + count;
        if wanted > lazy.room
            && !lazy.grow(&self.gpu, wanted.max(2 * lazy.room))?
            && !lazy.grow(&self.gpu, wanted)?
        {
            // Nobody lacks an anchor then, and none has to be kept.
            self.catch_up()?;
        }
        let room = self.lazy.as_ref().map_or(count, |it| it.room - it.kept());
        Ok(count.min(room))
    }

    /// Counts all that is lacked by candidates that may ever be chosen.
    fn catch_up(&mut self) -> Result<(), DeviceError> {
        let all = Wave {
            kind: EVERYTHING,
            gathers: false,
            resumes: true,
            chosen: false,
            slot: 0,
        };
        let mut lacks = self.lazy.as_ref().is_some_and(|it| it.kept() > 0);
        while lacks {
            self.wave(all)?;
            self.gpu.wait(DURING)?;
            lacks = self.walk.picks.get()[0].number == STALLED;
        }
        self.gathered_by_all(0)
    }

    /// All candidates have gathered all steps, and so many more.
    fn gathered_by_all(&mut self, more: usize) -> Result<(), DeviceError> {
        let Some(lazy) = &mut self.lazy else {
            return Ok(());
        };
        lazy.steps += more;
        lazy.base = lazy.steps;
        lazy.begin(&self.gpu)
    }

    /// A step of a GPU whose columns are put off.
    pub(super) fn lazy_step(
        &mut self,
        source: AnchorSource,
        chosen: bool,
        slot: usize,
    ) -> Result<(), DeviceError> {
        self.reserve(1)?;
        let kept = |it: &&mut Lazy| {
            let own = matches!(source, AnchorSource::Chosen { .. } | AnchorSource::Place(_));
            own && (it.from_relevance || it.steps > 0)
        };
        let Some(lazy) = self.lazy.as_mut().filter(kept) else {
            self.catch_up()?;
            self.step_all(source, chosen, slot)?;
            return self.gathered_by_all(1);
        };
        let joint = lazy.joint.at(lazy.kept() * lazy.stride);
        let bits = lazy.bits;
        lazy.steps += 1;
        let laid = self.lay_at(source, self.classes, Some((joint, bits)))?;
        let laid = AnchorBuffers {
            skips_dense: true,
            ..laid
        };
        self.swept(laid, self.walk.out(self.excluded.address()))?;
        self.waves(true, chosen, slot)
    }

    /// Finds the best again, of a GPU whose columns are put off.
    pub(super) fn lazy_score(
        &mut self,
        before: Phase,
        chosen: bool,
        slot: usize,
    ) -> Result<(), DeviceError> {
        if let (Phase::Forget, Some(lazy)) = (before, &mut self.lazy) {
            lazy.steps = 0;
            let stalled = lazy.control(offset_of!(WaveControl, stalled));
            self.gpu.zero(stalled, size_of::<u32>())?;
            self.gathered_by_all(0)?;
        }
        match self.lazy.as_ref().is_some_and(|it| it.kept() > 0) {
            true => self.waves(false, chosen, slot),
            false => self.score_all(before, chosen, slot),
        }
    }

    /// Has a pick known that is not yet: what was launched behind it did nothing. How many of
    /// so many are known then.
    pub(super) fn settled(&mut self, count: usize) -> Result<usize, DeviceError> {
        let stalled = |shard: &Self, slot: usize| shard.walk.picks.get()[slot].number == STALLED;
        let Some(slot) = (0..count).find(|&slot| stalled(self, slot)) else {
            return Ok(count);
        };
        let Some(lazy) = &mut self.lazy else {
            return Ok(count);
        };
        lazy.steps -= count - 1 - slot;
        let again = Wave {
            kind: WINNERS,
            gathers: false,
            resumes: true,
            chosen: lazy.chosen,
            slot,
        };
        while stalled(self, slot) {
            self.wave(again)?;
            self.gpu.wait(DURING)?;
        }
        Ok(slot + 1)
    }

    /// The waves of a step; whether it has a new anchor.
    fn waves(&mut self, anchor: bool, chosen: bool, slot: usize) -> Result<(), DeviceError> {
        if let Some(lazy) = &mut self.lazy {
            lazy.chosen = chosen;
        }
        for kind in [BEST, ONE, WINNERS] {
            self.wave(Wave {
                kind,
                gathers: anchor && kind == BEST,
                // Nothing is behind one that is scored again: it goes on where it stalled.
                resumes: !anchor,
                chosen,
                slot,
            })?;
        }
        Ok(())
    }

    fn wave(&self, wave: Wave) -> Result<(), DeviceError> {
        let Some(lazy) = &self.lazy else {
            return Ok(());
        };
        let (before, steps) = match wave.gathers {
            true => (Phase::Gather { misses: false }, lazy.steps - 1),
            false => (Phase::Nothing, lazy.steps),
        };
        let last = matches!(wave.kind, WINNERS | EVERYTHING);
        let chosen = wave.chosen && last;
        let known = Some(steps as u32);
        let given = self.walk.state(&self.means(), before, chosen, known);
        let told = deferred::DeferredArgs {
            places: lazy.places as u32,
            base: lazy.base as u32,
            done: lazy.done.address(),
            start: lazy.start.address(),
            many: lazy.many.address(),
            items: lazy.items.address(),
            lists: lazy.told,
            anchors: lazy.anchors.address(),
            xw: lazy.xw.address(),
            xwy: lazy.xwy.address(),
            found: lazy.found.address(),
            control: lazy.control(0),
            wave: wave.kind,
            last: i32::from(last),
            resumes: i32::from(wave.resumes),
        };
        let grid = (given.count.div_ceil(THREADS as u32), 1, 1);
        let threads = THREADS as u32;
        let select = arguments![given, told];
        self.gpu.launch(
            &passel_kernels::deferred::KERNEL,
            "select",
            grid,
            threads,
            0,
            select,
        )?;
        for list in &lazy.lists {
            self.listed(lazy, list)?;
        }
        // What the wave's first kernel gathered is gathered.
        let given = ScoreArgs {
            gathers: 0,
            steps_known: lazy.steps as u32,
            ..given
        };
        let pick = self.walk.pick(wave.slot);
        let settle = arguments![given, told, pick];
        self.gpu.launch(
            &passel_kernels::deferred::KERNEL,
            "settle",
            grid,
            threads,
            0,
            settle,
        )
    }

    /// Counts what is listed.
    fn listed(&self, lazy: &Lazy, list: &Launch) -> Result<(), DeviceError> {
        let told = lazy.told[list.of];
        let wanted = offset_of!(WaveControl, wanted) + 8 * list.of;
        let n = self.n;
        let given = DenseArgs {
            columns: 1,
            rows: n as i64,
            vectors: n.div_ceil(VECTOR) as i64,
            joint: lazy.joint.address(),
            joint_stride: lazy.stride as i64,
            anchors: lazy.anchors.address(),
            classes: self.classes as u32,
            copies: list.copies as i32,
            parts: 1,
            words: list.words as u32,
            terms: self.terms.address(),
            xw: lazy.xw.at(told.offset as usize),
            xwy: lazy.xwy.at(told.offset as usize),
            items: lazy.items.at(told.offset as usize),
            listed: lazy.control(wanted),
            capacity: u64::from(told.capacity),
            all: self.packs.places.address(),
            ..DenseArgs::default()
        };
        let blocks = list.blocks.min(told.capacity as usize) as u32;
        let (threads, shared) = (list.threads as u32, 4 * list.words as u32);
        let grid = (blocks, 1, 1);
        self.gpu.launch(
            &passel_kernels::dense::LISTING,
            list.function,
            grid,
            threads,
            shared,
            arguments![given],
        )
    }
}
