//! A cache of Gram columns XᵀX_S, in single precision, of the variables S in models. With them
//! E = Xᵀy − (XᵀX_A)·β̂ costs p·k instead of p·n, and no residual is read.

use super::tie_window::TILE;

/// Marks a variable that has no slot.
const NO_SLOT: u32 = u32::MAX;

/// Up to `capacity` Gram columns, stored tile by tile: TILE rows of slot 0, of slot 1, …, then the
/// next TILE rows. So a sweep of many models finds all that it needs of a tile close together.
#[derive(Debug)]
pub(crate) struct GramCache {
    values: Vec<f32>,
    capacity: usize,
    /// The slot of each variable.
    slot: Vec<u32>,
    /// The variable of each slot, and the last sweep that used it.
    slots: Vec<(u32, u64)>,
    sweep: u64,
}

impl GramCache {
    /// An empty cache for products of `rows` columns with up to `capacity` of p variables.
    pub(crate) fn new(p: usize, rows: usize, capacity: usize) -> Self {
        let capacity = capacity.min(p);
        Self {
            // The system provides zeroed memory page by page, when it is first used.
            values: vec![0.0; rows.div_ceil(TILE) * TILE * capacity],
            capacity,
            slot: vec![NO_SLOT; p],
            slots: Vec::new(),
            sweep: 0,
        }
    }

    /// Begins a sweep: slots that it uses are not evicted before the next one.
    pub(crate) fn begin_sweep(&mut self) {
        self.sweep += 1;
    }

    pub(crate) fn slot(&self, variable: u32) -> Option<u32> {
        Some(self.slot[variable as usize]).filter(|slot| *slot != NO_SLOT)
    }

    /// The slot of a variable that is cached.
    pub(crate) fn slot_of(&self, variable: u32) -> u32 {
        let slot = self.slot[variable as usize];
        debug_assert_ne!(slot, NO_SLOT);
        slot
    }

    /// Marks a variable's column as used by this sweep; returns whether it is cached.
    pub(crate) fn touch(&mut self, variable: u32) -> bool {
        match self.slot(variable) {
            Some(slot) => {
                self.slots[slot as usize].1 = self.sweep;
                true
            }
            None => false,
        }
    }

    /// Number of slots that are free or not used by this sweep.
    pub(crate) fn free_slots(&self) -> usize {
        let used = self.slots.iter().filter(|(_, last)| *last == self.sweep);
        self.capacity - used.count()
    }

    /// Assigns a slot to each variable, free ones first, then the least recently used. The
    /// variables must be distinct, not cached, and at most [`GramCache::free_slots`]. The caller
    /// fills in the columns.
    pub(crate) fn assign(&mut self, variables: &[u32]) -> Vec<u32> {
        let free = self.slots.len()..self.capacity;
        let mut slots: Vec<u32> = free.take(variables.len()).map(|s| s as u32).collect();
        if slots.len() < variables.len() {
            let mut idle: Vec<u32> = (0..self.slots.len() as u32)
                .filter(|&s| self.slots[s as usize].1 != self.sweep)
                .collect();
            idle.sort_by_key(|&s| self.slots[s as usize].1);
            slots.extend(idle.into_iter().take(variables.len() - slots.len()));
        }
        for (&slot, &variable) in slots.iter().zip(variables) {
            let entry = (variable, self.sweep);
            match self.slots.get_mut(slot as usize) {
                Some(held) => {
                    self.slot[held.0 as usize] = NO_SLOT;
                    *held = entry;
                }
                None => self.slots.push(entry),
            }
            self.slot[variable as usize] = slot;
        }
        slots
    }

    /// Forgets all columns.
    pub(crate) fn clear(&mut self) {
        self.slot.fill(NO_SLOT);
        self.slots.clear();
    }

    /// The tiles, and the number of values of each: slot s of a tile begins at s · TILE.
    pub(crate) fn tiles_mut(&mut self) -> (&mut [f32], usize) {
        (&mut self.values, self.capacity * TILE)
    }
}
