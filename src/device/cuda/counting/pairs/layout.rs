//! How columns lie as rows of bits: groups, tiles, panels, and the order of observations.

use std::{cmp::Reverse, ops::Range};

use passel_kernels::bits::{BITS, PIECES, SIDE};

use crate::{
    binning::BinnedColumn,
    device::counting::{Categorical, PairDomain},
};

/// Products of planes of two columns from which on [`passel_kernels::pair_tables`], which counts
/// one cell an observation, is faster than products of bits: as measured on an H200.
pub(super) const TABLE_CROSSING: usize = 43 * 43;

/// Planes from which on a group has its codes on a GPU too: beside another of at most [`SIDE`] planes
/// it may be counted by [`passel_kernels::pair_tables`].
const MIN_TABLE_PLANES: usize = TABLE_CROSSING.div_ceil(SIDE);

/// Columns that have as many planes each, in tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TileGroup {
    /// Rows of bits of a column: levels but the last.
    pub(super) planes: usize,
    /// Columns of a tile.
    pub(super) each: usize,
    /// The place of the first.
    pub(super) first: usize,
    pub(super) count: usize,
    /// The panel it is of: two at a time are on a GPU.
    pub(super) panel: usize,
    /// 0 or 1: the list of the [`PairDomain`] that its columns are of.
    pub(super) list: usize,
}

impl TileGroup {
    pub(super) fn tiles(&self) -> usize {
        self.count.div_ceil(self.each)
    }

    /// Levels of its columns, at most.
    pub(super) fn levels(&self) -> usize {
        self.planes + 1
    }
}

/// Where all columns and observations lie. A *place* is a column's position in this order.
#[derive(Debug)]
pub(super) struct BitLayout {
    pub(super) n: usize,
    /// Whether the two columns of a pair are of different lists.
    apart: bool,
    pub(super) groups: Vec<TileGroup>,
    /// By place, the column's number.
    pub(super) numbers: Vec<u32>,
    /// The observation of each bit; n where a class is filled up.
    pub(super) order: Vec<u32>,
    /// The chunk where each class begins, and the end.
    pub(super) edges: Vec<u32>,
    /// Observations of each class.
    pub(super) sizes: Vec<u32>,
    /// The class of each observation, filled up to [`stride`](Self::stride).
    pub(super) classes: Vec<u8>,
}

impl BitLayout {
    /// Lays out columns without missing values, for GPUs with room for so many bytes of them.
    pub(super) fn of(block: PairDomain, response: &Categorical, room: usize) -> Self {
        let n = response.codes.len();
        let mut sizes = vec![0u32; response.levels.max(1)];
        for &code in &response.codes {
            sizes[code as usize] += 1;
        }
        let mut edges = vec![0];
        for (class, size) in sizes.iter().enumerate() {
            edges.push(edges[class] + size.div_ceil(BITS as u32));
        }
        let mut starts: Vec<usize> = edges.iter().map(|edge| *edge as usize * BITS).collect();
        let mut order = vec![n as u32; starts[sizes.len()]];
        for (row, &class) in (0..).zip(&response.codes) {
            let at = &mut starts[class as usize];
            order[*at] = row;
            *at += 1;
        }
        let (mut groups, mut numbers) = grouped(&block.columns[..block.first_end()]);
        let (others, theirs) = grouped(&block.columns[block.first_end()..]);
        groups.extend(others.into_iter().map(|group| TileGroup {
            first: group.first + numbers.len(),
            list: 1,
            ..group
        }));
        numbers.extend(
            theirs
                .into_iter()
                .map(|number| number + block.first_end() as u32),
        );
        let mut layout = Self {
            n,
            apart: block.split.is_some(),
            groups,
            numbers,
            order,
            edges,
            sizes,
            classes: response.codes.iter().map(|code| *code as u8).collect(),
        };
        layout.classes.resize(layout.stride(), 0);
        let bytes = layout.groups.iter().map(|group| layout.bytes(group));
        if bytes.sum::<usize>() > room {
            layout.groups = layout.panels(room / 2);
        }
        layout
    }

    /// The groups, split at tiles into panels of at most so many bytes, or one tile.
    fn panels(&self, most: usize) -> Vec<TileGroup> {
        let (mut all, mut panel, mut left, mut filled) = (Vec::new(), 0, most, false);
        for group in &self.groups {
            let tile = self.bytes(&TileGroup { count: 1, ..*group });
            let (mut first, end) = (group.first, group.first + group.count);
            while first < end {
                if left < tile && filled {
                    (panel, left) = (panel + 1, most);
                }
                filled = true;
                let tiles = (left / tile).max(1);
                let count = (tiles * group.each).min(end - first);
                left = left.saturating_sub(count.div_ceil(group.each) * tile);
                all.push(TileGroup {
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

    /// Bytes of the largest table of two columns and the response.
    pub(super) fn table_bytes(&self) -> usize {
        let most = self.groups.iter().map(TileGroup::levels).max();
        4 * most.unwrap_or(1).pow(2) * self.sizes.len()
    }

    /// Bytes of a group on a GPU: bits, and codes where it has them there.
    pub(super) fn bytes(&self, group: &TileGroup) -> usize {
        let codes = match self.has_codes(group) {
            true => group.tiles() * group.each * self.stride(),
            false => 0,
        };
        codes + group.tiles() * self.chunks() * PIECES
    }

    /// Whether a group has its codes on a GPU.
    pub(super) fn has_codes(&self, group: &TileGroup) -> bool {
        group.planes >= MIN_TABLE_PLANES
    }

    /// The places of a panel.
    pub(super) fn places(&self, panel: usize) -> Range<usize> {
        let mut own = self.groups.iter().filter(|group| group.panel == panel);
        let first = own
            .next()
            .map_or(0..0, |group| group.first..group.first + group.count);
        own.fold(first, |all, group| all.start..group.first + group.count)
    }

    /// Bytes of a column's codes.
    pub(super) fn stride(&self) -> usize {
        self.n.next_multiple_of(16).max(16)
    }

    /// How many panels there are.
    pub(super) fn panel_count(&self) -> usize {
        self.groups.last().map_or(0, |group| group.panel + 1)
    }

    /// Chunks of a row.
    pub(super) fn chunks(&self) -> usize {
        self.edges.last().map_or(0, |edge| *edge as usize)
    }

    /// Every two groups to be paired, a group with itself too, sorted by their panels.
    pub(super) fn group_pairs(&self) -> Vec<(usize, usize)> {
        let count = self.groups.len();
        let all = (0..count).flat_map(|a| (a..count).map(move |b| (a, b)));
        let paired = all.filter(|(a, b)| self.pairs(&self.groups[*a], &self.groups[*b]));
        let mut all: Vec<_> = paired.collect();
        all.sort_by_key(|pair| self.panels_of(*pair));
        all
    }

    /// Whether the columns of two groups are to be paired.
    pub(super) fn pairs(&self, a: &TileGroup, b: &TileGroup) -> bool {
        !self.apart || a.list != b.list
    }

    /// The panels of two groups.
    pub(super) fn panels_of(&self, (a, b): (usize, usize)) -> [usize; 2] {
        [a, b].map(|at| self.groups[at].panel)
    }

    /// The group of a place.
    pub(super) fn group(&self, place: usize) -> &TileGroup {
        let behind = self.groups.partition_point(|group| group.first <= place);
        &self.groups[behind.saturating_sub(1)]
    }

    /// The super-tiles (16 × 16 tiles) of two groups that one of so many GPUs takes: their numbers down
    /// and across. Every pair of columns is in one of one GPU.
    pub(super) fn super_tiles(
        &self,
        (a, b): (usize, usize),
        (gpu, gpus): (usize, usize),
    ) -> impl Iterator<Item = [u32; 2]> {
        let [down, across] = [a, b].map(|at| self.groups[at].tiles().div_ceil(16) as u32);
        let all = (0..down).flat_map(move |down| {
            let from = if a == b { down } else { 0 };
            (from..across).map(move |across| [down, across])
        });
        all.skip(gpu).step_by(gpus)
    }
}

/// Groups of the columns of a list, by how many a tile holds, and the order of the columns. Columns
/// too few to fill a tile join the next group, whose columns have more planes.
fn grouped(columns: &[BinnedColumn]) -> (Vec<TileGroup>, Vec<u32>) {
    let each = |column: &BinnedColumn| SIDE / column.levels.saturating_sub(1).max(1);
    let mut numbers: Vec<u32> = (0..columns.len() as u32).collect();
    numbers.sort_by_key(|number| Reverse(each(&columns[*number as usize])));
    let mut groups: Vec<TileGroup> = Vec::new();
    let mut first = 0;
    for (at, &number) in numbers.iter().enumerate() {
        let own = each(&columns[number as usize]);
        let last = at + 1 == numbers.len();
        let next = numbers
            .get(at + 1)
            .map(|number| each(&columns[*number as usize]));
        if last || (next != Some(own) && at + 1 - first >= own) {
            groups.push(TileGroup {
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

    /// Columns of so many levels each.
    fn columns(n: usize, levels: &[usize]) -> Vec<BinnedColumn> {
        let column = |levels: &usize| column(vec![0; n], *levels, false, false);
        levels.iter().map(column).collect()
    }

    fn layout(p: usize, codes: &[u32]) -> BitLayout {
        let columns = columns(codes.len(), &vec![3; p]);
        let response = Categorical {
            codes: codes.to_vec(),
            levels: 3,
            missing: false,
        };
        BitLayout::of(PairDomain::from(&columns[..]), &response, usize::MAX)
    }

    #[test]
    fn every_observation_has_a_bit_among_its_class() {
        let codes: Vec<u32> = (0..1500).map(|row| row * row % 7 % 3).collect();
        let layout = layout(1, &codes);
        let mut seen = vec![0; 1500];
        for (at, &row) in layout
            .order
            .iter()
            .enumerate()
            .filter(|entry| *entry.1 < 1500)
        {
            seen[row as usize] += 1;
            let class = layout
                .edges
                .partition_point(|edge| *edge as usize <= at / BITS)
                - 1;
            assert_eq!(codes[row as usize] as usize, class);
        }
        assert_eq!(seen, vec![1; 1500]);
        assert_eq!(layout.order.len(), layout.chunks() * BITS);
        assert_eq!(layout.sizes.iter().sum::<u32>(), 1500);
    }

    #[test]
    fn gpus_share_the_tiles() {
        let layout = layout(64 * 40, &[0; 5]);
        assert_eq!(layout.groups[0].tiles(), 40);
        let own = |gpu| layout.super_tiles((0, 0), (gpu, 3));
        let mut all: Vec<[u32; 2]> = (0..3).flat_map(own).collect();
        all.sort_unstable();
        assert_eq!(all, [[0, 0], [0, 1], [0, 2], [1, 1], [1, 2], [2, 2]]);
    }

    #[test]
    fn columns_of_as_many_rows_share_tiles() {
        let of = |levels: &[usize]| {
            let (groups, numbers) = grouped(&columns(5, levels));
            let groups = groups
                .iter()
                .map(|group| (group.planes, group.first, group.count));
            (groups.collect::<Vec<_>>(), numbers)
        };
        let levels = [&[10; 30][..], &[2; 128], &[3; 5], &[15; 2]].concat();
        let (groups, numbers) = of(&levels);
        assert_eq!(groups, [(1, 0, 128), (9, 128, 35), (14, 163, 2)]);
        assert_eq!((numbers[0], numbers[128], numbers[133]), (30, 158, 0));
        let few = of(&[2, 3, 2, 1]);
        assert_eq!(few, (vec![(2, 0, 4)], vec![0, 2, 3, 1]));
    }

    #[test]
    fn what_has_no_room_is_parted_at_tiles() {
        let columns = columns(5, &[&[2; 500][..], &[10; 40]].concat());
        let response = Categorical::constant(5);
        let of = |room| BitLayout::of(PairDomain::from(&columns[..]), &response, room);
        let all = of(7 * PIECES);
        assert_eq!((all.panel_count(), all.groups.len()), (1, 2));
        for (room, panels) in [(6 * PIECES, 3), (2 * PIECES, 7), (0, 7)] {
            let layout = of(room);
            assert_eq!(layout.panel_count(), panels, "{room}");
            let mut first = 0;
            for group in &layout.groups {
                assert_eq!(group.first, first);
                first += group.count;
            }
            assert_eq!(first, 540);
            for panel in 0..panels {
                let own = layout.groups.iter().filter(|group| group.panel == panel);
                let tiles: usize = own.map(TileGroup::tiles).sum();
                assert!(tiles >= 1 && tiles * PIECES <= (room / 2).max(PIECES));
            }
            let jobs = layout.group_pairs();
            let all = layout.groups.len();
            assert_eq!(jobs.len(), all * (all + 1) / 2);
            assert!(jobs.is_sorted_by_key(|pair| layout.panels_of(*pair)));
        }
    }
}
