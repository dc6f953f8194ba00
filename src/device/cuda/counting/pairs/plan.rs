//! How columns lie as rows of bits, as far as the host decides it.

use std::{cmp::Reverse, ops::Range};

use passel_kernels::bits::{BITS, PIECES, SIDE};

use super::super::super::super::counting::{Categorical, PairDomain};
use crate::binning::BinnedColumn;

/// Rows of bits from which on columns have their codes on a GPU too: tables may be made of them
/// beside any of at most [`SIDE`] rows.
const FEW: usize = super::shape::CROSSING.div_ceil(SIDE);

/// Columns that have as many rows of bits each, in tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) planes: usize,
    /// Columns of a tile.
    pub(super) each: usize,
    /// The place of the first.
    pub(super) first: usize,
    pub(super) count: usize,
    /// What is on a GPU at once: two panels.
    pub(super) panel: usize,
    /// Which of a block's lists its columns are of.
    pub(super) list: usize,
}

impl Group {
    pub(super) fn tiles(&self) -> usize {
        self.count.div_ceil(self.each)
    }

    /// Levels that its tables have room for.
    pub(super) fn levels(&self) -> usize {
        self.planes + 1
    }
}

/// All columns, and the order of the observations.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) n: usize,
    /// Whether the columns of a pair are of different lists.
    apart: bool,
    pub(super) groups: Vec<Group>,
    /// Of each place the number of its column.
    pub(super) numbers: Vec<u32>,
    /// The observation of each bit; n for none.
    pub(super) order: Vec<u32>,
    /// The chunk where each class begins, and the end.
    pub(super) edges: Vec<u32>,
    /// Observations of each class.
    pub(super) sizes: Vec<u32>,
}

impl Plan {
    /// Of columns that miss no values, on GPUs that have room for so many bytes of them.
    pub(super) fn of(block: PairDomain, response: &Categorical, room: usize) -> Self {
        let n = response.codes.len();
        let mut sizes = vec![0u32; response.levels.max(1)];
        response
            .codes
            .iter()
            .for_each(|it| sizes[*it as usize] += 1);
        let (mut edges, mut starts) = (vec![0], Vec::new());
        for &size in &sizes {
            let begin = edges[edges.len() - 1];
            starts.push(begin as usize * BITS);
            edges.push(begin + size.div_ceil(BITS as u32));
        }
        let all = edges[edges.len() - 1] as usize * BITS;
        let mut order = vec![n as u32; all];
        for (row, &class) in (0..).zip(&response.codes) {
            let at = &mut starts[class as usize];
            order[*at] = row;
            *at += 1;
        }
        let (mut groups, mut numbers) = grouped(&block.columns[..block.first_end()]);
        let (others, theirs) = grouped(&block.columns[block.first_end()..]);
        groups.extend(others.into_iter().map(|it| Group {
            first: it.first + numbers.len(),
            list: 1,
            ..it
        }));
        numbers.extend(theirs.into_iter().map(|it| it + block.first_end() as u32));
        let mut plan = Self {
            n,
            apart: block.split.is_some(),
            groups,
            numbers,
            order,
            edges,
            sizes,
        };
        if plan.groups.iter().map(|it| plan.bytes(it)).sum::<usize>() > room {
            plan.groups = plan.panels(room / 2);
        }
        plan
    }

    /// The groups, parted at tiles into panels of so many bytes, of one tile at least.
    fn panels(&self, most: usize) -> Vec<Group> {
        let (mut all, mut panel, mut left, mut filled) = (Vec::new(), 0, most, false);
        for group in &self.groups {
            let tile = self.bytes(&Group { count: 1, ..*group });
            let (mut first, end) = (group.first, group.first + group.count);
            while first < end {
                if left < tile && filled {
                    (panel, left) = (panel + 1, most);
                }
                filled = true;
                let tiles = (left / tile).max(1);
                let count = (tiles * group.each).min(end - first);
                left = left.saturating_sub(count.div_ceil(group.each) * tile);
                all.push(Group {
                    first,
                    count,
                    panel,
                    ..*group
                });
                first += count;
            }
        }
        all
    }

    /// Bytes of a group on a GPU: bits, and codes where tables may be made of them.
    pub(super) fn bytes(&self, group: &Group) -> usize {
        let codes = match self.has_codes(group) {
            true => group.tiles() * group.each * self.stride(),
            false => 0,
        };
        codes + group.tiles() * self.chunks() * PIECES
    }

    /// Whether tables may be made of its columns' codes.
    pub(super) fn has_codes(&self, group: &Group) -> bool {
        group.planes >= FEW
    }

    /// The class of each observation, for tables, which have room for few.
    pub(super) fn classes(&self) -> Vec<u8> {
        let mut classes = vec![0; self.stride()];
        for (k, edge) in self.edges.windows(2).enumerate() {
            let own = &self.order[edge[0] as usize * BITS..edge[1] as usize * BITS];
            for &row in own.iter().filter(|it| (**it as usize) < self.n) {
                classes[row as usize] = k as u8;
            }
        }
        classes
    }

    /// The places of a panel.
    pub(super) fn places(&self, panel: usize) -> Range<usize> {
        let mut own = self.groups.iter().filter(|it| it.panel == panel);
        let first = own.next().map_or(0..0, |it| it.first..it.first + it.count);
        own.fold(first, |all, it| all.start..it.first + it.count)
    }

    /// Bytes of a column's codes.
    pub(super) fn stride(&self) -> usize {
        self.n.next_multiple_of(16).max(16)
    }

    /// How many panels there are.
    pub(super) fn panel_count(&self) -> usize {
        self.groups.last().map_or(0, |it| it.panel + 1)
    }

    /// Chunks of a row.
    pub(super) fn chunks(&self) -> usize {
        self.edges.last().map_or(0, |it| *it as usize)
    }

    /// Every two groups to be paired, a group with itself too, by the panels they are of.
    pub(super) fn jobs(&self) -> Vec<(usize, usize)> {
        let count = self.groups.len();
        let all = (0..count).flat_map(|a| (a..count).map(move |b| (a, b)));
        let mut all: Vec<_> = all
            .filter(|(a, b)| self.pairs(&self.groups[*a], &self.groups[*b]))
            .collect();
        all.sort_by_key(|it| self.panels_of(*it));
        all
    }

    /// Whether the columns of two groups are to be paired.
    pub(super) fn pairs(&self, a: &Group, b: &Group) -> bool {
        !self.apart || a.list != b.list
    }

    /// The panels of two groups.
    pub(super) fn panels_of(&self, (a, b): (usize, usize)) -> [usize; 2] {
        [a, b].map(|it| self.groups[it].panel)
    }

    /// The group of a place.
    pub(super) fn group(&self, place: usize) -> &Group {
        let behind = self.groups.partition_point(|it| it.first <= place);
        &self.groups[behind.saturating_sub(1)]
    }

    /// The tiles of two groups, 16 × 16 at a time, for one of so many GPUs: every pair of columns
    /// is in those of one GPU.
    pub(super) fn supers(
        &self,
        (a, b): (usize, usize),
        (gpu, gpus): (usize, usize),
    ) -> impl Iterator<Item = [u32; 2]> {
        let [down, across] = [a, b].map(|it| self.groups[it].tiles().div_ceil(16) as u32);
        let all = (0..down).flat_map(move |down| {
            let from = if a == b { down } else { 0 };
            (from..across).map(move |it| [down, it])
        });
        all.skip(gpu).step_by(gpus)
    }
}

/// Columns of a list by how many of them a tile holds, and their order. Those of a group too
/// small for a tile are in the next one, of more rows each.
fn grouped(columns: &[BinnedColumn]) -> (Vec<Group>, Vec<u32>) {
    let each = |it: &BinnedColumn| SIDE / it.levels.saturating_sub(1).max(1);
    let mut numbers: Vec<u32> = (0..columns.len() as u32).collect();
    numbers.sort_by_key(|it| Reverse(each(&columns[*it as usize])));
    let mut groups: Vec<Group> = Vec::new();
    let mut first = 0;
    for (at, &number) in numbers.iter().enumerate() {
        let own = each(&columns[number as usize]);
        let last = at + 1 == numbers.len();
        let next = numbers.get(at + 1).map(|it| each(&columns[*it as usize]));
        if last || (next != Some(own) && at + 1 - first >= own) {
            groups.push(Group {
                planes: SIDE / own,
                each: own,
                first,
                count: at + 1 - first,
                panel: 0,
                list: 0,
            });
            first = at + 1;
        }
    }
    (groups, numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::counting::tests::column;

    fn plan(p: usize, codes: &[u32]) -> Plan {
        let columns: Vec<_> = (0..p)
            .map(|_| column(vec![0; codes.len()], 3, false, false))
            .collect();
        let response = Categorical {
            codes: codes.to_vec(),
            levels: 3,
            missing: false,
        };
        Plan::of(PairDomain::from(&columns[..]), &response, usize::MAX)
    }

    #[test]
    fn every_observation_has_a_bit_among_its_class() {
        let codes: Vec<u32> = (0..1500).map(|row| row * row % 7 % 3).collect();
        let plan = plan(1, &codes);
        let mut seen = vec![0; 1500];
        for (at, &row) in plan.order.iter().enumerate().filter(|it| *it.1 < 1500) {
            seen[row as usize] += 1;
            let class = plan.edges.partition_point(|it| *it as usize <= at / BITS) - 1;
            assert_eq!(codes[row as usize] as usize, class);
        }
        assert_eq!(seen, vec![1; 1500]);
        assert_eq!(plan.order.len(), plan.chunks() * BITS);
        assert_eq!(plan.sizes.iter().sum::<u32>(), 1500);
    }

    #[test]
    fn gpus_share_the_tiles() {
        let plan = plan(64 * 40, &[0; 5]);
        assert_eq!(plan.groups[0].tiles(), 40);
        let own = |gpu| plan.supers((0, 0), (gpu, 3));
        let mut all: Vec<[u32; 2]> = (0..3).flat_map(own).collect();
        all.sort_unstable();
        assert_eq!(all, [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]]);
    }

    #[test]
    fn columns_of_as_many_rows_share_tiles() {
        let of = |levels: &[usize]| {
            let columns: Vec<_> = levels
                .iter()
                .map(|&it| column(vec![0; 5], it, false, false))
                .collect();
            grouped(&columns)
        };
        let summary = |groups: &[Group]| -> Vec<_> {
            groups
                .iter()
                .map(|it| (it.planes, it.first, it.count))
                .collect()
        };
        let mut levels = vec![10; 30];
        levels.extend([2; 128]);
        levels.extend([3; 5]);
        levels.extend([15; 2]);
        let (groups, numbers) = of(&levels);
        assert_eq!(summary(&groups), [(1, 0, 128), (9, 128, 35), (14, 163, 2)]);
        assert_eq!((numbers[0], numbers[128], numbers[133]), (30, 158, 0));
        let (groups, numbers) = of(&[2, 3, 2, 1]);
        assert_eq!(
            (summary(&groups), numbers),
            (vec![(2, 0, 4)], vec![0, 2, 3, 1])
        );
    }

    #[test]
    fn what_has_no_room_is_parted_at_tiles() {
        let mut columns: Vec<_> = (0..500)
            .map(|_| column(vec![0; 5], 2, false, false))
            .collect();
        columns.extend((0..40).map(|_| column(vec![0; 5], 10, false, false)));
        let of = |room| {
            Plan::of(
                PairDomain::from(&columns[..]),
                &Categorical::constant(5),
                room,
            )
        };
        assert_eq!(
            (of(7 * PIECES).panel_count(), of(7 * PIECES).groups.len()),
            (1, 2)
        );
        for (room, panels) in [(6 * PIECES, 3), (2 * PIECES, 7), (0, 7)] {
            let plan = of(room);
            assert_eq!(plan.panel_count(), panels, "{room}");
            let mut first = 0;
            for group in &plan.groups {
                assert_eq!(group.first, first);
                first += group.count;
            }
            assert_eq!(first, 540);
            for panel in 0..panels {
                let own = plan.groups.iter().filter(|it| it.panel == panel);
                let tiles: usize = own.map(Group::tiles).sum();
                assert!(tiles >= 1 && tiles * PIECES <= (room / 2).max(PIECES));
            }
            let jobs = plan.jobs();
            let all = plan.groups.len();
            assert_eq!(jobs.len(), all * (all + 1) / 2);
            assert!(jobs.is_sorted_by_key(|it| plan.panels_of(*it)));
        }
    }
}
