//! The joint codes of an anchor, made on a card, and what is counted of them.

use passel_kernels::{
    counting::{Anchor as OnCard, Place},
    spread::Spread,
};

use super::{
    super::{super::DeviceError, card::arguments},
    layout::VECTOR,
    packs::put,
    shard::{Shard, Source},
    sweep::Laid,
};

/// Rows up to which one block lays an anchor out.
const LAID: usize = 1 << 11;

impl Shard {
    /// Makes joint codes, and what is counted of them.
    pub(super) fn spread(&self, laid: &Laid, source: Source) -> Result<(), DeviceError> {
        let card = &self.card;
        let filled = self.n.next_multiple_of(VECTOR);
        let mut given = Spread {
            anchor: laid.anchors,
            places: self.packs.places.address(),
            rows: self.n as i64,
            filled: filled as i64,
            y: if laid.classes > 1 {
                self.y.address()
            } else {
                0
            },
            classes: laid.classes as u32,
            joint: laid.joint,
            by_joint: laid.by_joint,
            by_level: laid.by_level,
            counts: (laid.levels * laid.classes) as i64,
        };
        let name = |eight, sixteen| if laid.bits == 8 { eight } else { sixteen };
        let most = 4 * card.processors;
        let blocks = (filled.div_ceil(512) as u32).clamp(1, most);
        let grid = (blocks, 1, 1);
        let mut told = false;
        match source {
            Source::Peer(_, owner) => {
                let bytes = filled * laid.bits as usize / 8;
                let addresses = (owner.joint.address(), laid.joint);
                card.copy_from(&owner.card, &owner.laid_out, addresses, bytes)?;
                if self.lists {
                    let bytes = 4 * laid.levels * laid.classes;
                    card.zero(laid.by_joint, bytes)?;
                    card.zero(laid.by_level, bytes)?;
                }
            }
            Source::Nothing => {
                // A place of one level.
                let none = Place {
                    bits: 0,
                    ..Place::default()
                };
                card.upload(&[none], self.packs.places.at(self.packs.count()))?;
                let anchor = self.packs.count() as u32;
                let nothing = OnCard {
                    levels: 1,
                    unused: anchor,
                    ..Default::default()
                };
                let one = put(card, &[nothing])?;
                given.anchor = one.address();
                card.launch(
                    name("spread_8", "spread_16"),
                    grid,
                    512,
                    0,
                    arguments![given],
                )?;
                card.wait("laying out an anchor")?;
                given.anchor = laid.anchors;
            }
            Source::Chosen { .. } | Source::Place(_) | Source::Codes(..) if filled <= LAID => {
                let lay = name("lay_8", "lay_16");
                card.launch(lay, (1, 1, 1), 1024, 0, arguments![given])?;
                told = true;
            }
            Source::Chosen { .. } | Source::Place(_) | Source::Codes(..) => {
                card.launch(
                    name("spread_8", "spread_16"),
                    grid,
                    512,
                    0,
                    arguments![given],
                )?;
                if self.lists && !matches!(source, Source::Codes(..)) {
                    let scatter = name("scatter_8", "scatter_16");
                    card.launch(scatter, grid, 512, 0, arguments![given])?;
                }
            }
        }
        card.mark(&self.laid_out)?;
        if self.lists && !told {
            let grid = ((filled.div_ceil(1024) as u32).clamp(1, most), 1, 1);
            card.launch(name("tell_8", "tell_16"), grid, 512, 0, arguments![given])?;
        }
        if laid.order != 0 {
            let (joint, rows) = (laid.joint, self.n as u32);
            let (classes, order) = (laid.classes as u32, laid.order);
            let given = arguments![joint, rows, classes, order];
            card.launch(name("order_8", "order_16"), (1, 1, 1), 1024, 0, given)?;
        }
        Ok(())
    }
}
