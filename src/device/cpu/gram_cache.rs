//! Cached Gram columns XᵀX_S of the variables S that models hold, in single
//! precision. With them E = Xᵀy − (XᵀX_A)·β̂ costs p·k instead of p·n, and no
//! residual is read.

use super::tie_window::TILE;

/// No slot.
const NONE: u32 = u32::MAX;

/// Up to `capacity` Gram columns, stored tile by tile: TILE rows of slot 0, of
/// slot 1, …, then the next TILE rows, so that a sweep of many models finds all
/// it needs of a tile close by.
#[derive(Debug)]
pub(crate) struct GramCache {
    values: Vec<f32>,
    capacity: usize,
    /// Of each variable: its slot.
    slot: Vec<u32>,
    /// Of each slot: its variable, and the last sweep that used it.
    slots: Vec<(u32, u64)>,
    sweep: u64,
}

impl GramCache {
    /// Room for the products of `rows` columns with up to `capacity` of p.
    pub(crate) fn new(p: usize, rows: usize, capacity: usize) -> Self {
        let capacity = capacity.min(p);
        Self {
            // Zeroed memory comes untouched from the system: what is never
            // used is never paid for.
            values: vec![0.0; rows.div_ceil(TILE) * TILE * capacity],
            capacity,
            slot: vec![NONE; p],
            slots: Vec::new(),
            sweep: 0,
        }
    }

    /// A new sweep: slots it uses are safe from eviction until the next.
    pub(crate) fn begin_sweep(&mut self) {
        self.sweep += 1;
    }

    pub(crate) fn slot(&self, variable: u32) -> Option<u32> {
        Some(self.slot[variable as usize]).filter(|slot| *slot != NONE)
    }

    /// The slot of a variable that is held.
    pub(crate) fn slot_of(&self, variable: u32) -> u32 {
        let slot = self.slot[variable as usize];
        debug_assert_ne!(slot, NONE);
        slot
    }

    /// Marks a variable's column as used by this sweep; whether it is held.
    pub(crate) fn touch(&mut self, variable: u32) -> bool {
        match self.slot(variable) {
            Some(slot) => {
                self.slots[slot as usize].1 = self.sweep;
                true
            }
            None => false,
        }
    }

    /// Slots that are free or whose columns this sweep does not use.
    pub(crate) fn free_slots(&self) -> usize {
        let used = self.slots.iter().filter(|(_, last)| *last == self.sweep);
        self.capacity - used.count()
    }

    /// A slot for each variable (distinct, none held, no more than there is
    /// [`free_slots`](Self::room) for): free ones first, then those longest unused.
    /// Their columns are for the caller to fill in.
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
                    self.slot[held.0 as usize] = NONE;
                    *held = entry;
                }
                None => self.slots.push(entry),
            }
            self.slot[variable as usize] = slot;
        }
        slots
    }

    /// The tiles, and how many values each holds: slot s of a tile starts at
    /// s · TILE.
    pub(crate) fn tiles_mut(&mut self) -> (&mut [f32], usize) {
        (&mut self.values, self.capacity * TILE)
    }
}
