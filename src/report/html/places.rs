//! Places for names beside the dots of a plot: none covers another name or a named dot, and all
//! are within the frame.

use std::f64::consts::TAU;

/// The height of a name, its accents and tails included.
const HEIGHT: f64 = 14.0;

/// From a dot to its name.
const GAP: f64 = 3.0;

/// How much farther off places are tried; a line leads to the dot from all but the nearest.
const FARTHER: [f64; 6] = [0.0, 12.0, 24.0, 38.0, 54.0, 74.0];

/// Directions in which places are tried.
const DIRECTIONS: usize = 16;

/// An upright rectangle, in the units of the drawing.
#[derive(Clone, Copy)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Area {
    fn around((x, y): (f64, f64), width: f64, height: f64) -> Self {
        Self {
            left: x - width / 2.0,
            top: y - height / 2.0,
            right: x + width / 2.0,
            bottom: y + height / 2.0,
        }
    }

    fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn is_within(&self, frame: &Self) -> bool {
        self.left >= frame.left
            && self.right <= frame.right
            && self.top >= frame.top
            && self.bottom <= frame.bottom
    }

    fn holds(&self, (x, y): (f64, f64)) -> bool {
        (self.left..=self.right).contains(&x) && (self.top..=self.bottom).contains(&y)
    }

    /// The point of the rectangle that is nearest to another.
    fn nearest(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (
            x.clamp(self.left, self.right),
            y.clamp(self.top, self.bottom),
        )
    }
}

/// A dot, and the name that belongs beside it; an empty name belongs to none.
pub(super) struct Dot {
    pub(super) at: (f64, f64),
    pub(super) radius: f64,
    pub(super) name: String,
}

impl Dot {
    fn area(&self) -> Area {
        Area::around(self.at, 2.0 * self.radius, 2.0 * self.radius)
    }
}

/// A name in its place.
pub(super) struct Placed<'a> {
    pub(super) name: &'a str,
    /// The middle of the name.
    pub(super) at: (f64, f64),
    /// A line from the name to its dot, where it does not stand beside it.
    pub(super) leader: Option<Leader>,
}

/// The ends of a line.
pub(super) type Leader = [(f64, f64); 2];

/// Finds a place for every name, the first name's first. A name is left out where no place is free;
/// other dots are covered only where nothing else is.
pub(super) fn places<'a>(dots: &'a [Dot], frame: &Area) -> Vec<Placed<'a>> {
    let named = || dots.iter().filter(|dot| !dot.name.is_empty());
    let named_areas: Vec<Area> = named().map(Dot::area).collect();
    let others = dots.iter().filter(|dot| dot.name.is_empty());
    let others: Vec<Area> = others.map(Dot::area).collect();
    let mut taken: Vec<Area> = Vec::new();
    let mut leaders: Vec<Leader> = Vec::new();
    let mut placed = Vec::new();
    for dot in named() {
        let mut best: Option<(f64, (f64, f64), Area, Option<Leader>)> = None;
        for (turn, farther) in candidates() {
            let (middle, area) = beside(dot, turn, farther);
            let leader = (farther > 0.0).then(|| leader(dot, &area));
            let free = area.is_within(frame)
                && !taken
                    .iter()
                    .chain(&named_areas)
                    .any(|other| other.meets(&area))
                && !leaders.iter().any(|line| crosses(line, &area))
                && !leader.is_some_and(|line| taken.iter().any(|other| crosses(&line, other)));
            if !free {
                continue;
            }
            let covered = others.iter().filter(|other| other.meets(&area)).count();
            let cost = farther + 8.0 * covered as f64;
            if best.as_ref().is_none_or(|best| cost < best.0) {
                best = Some((cost, middle, area, leader));
            }
        }
        if let Some((_, at, area, leader)) = best {
            taken.push(area);
            leaders.extend(leader);
            let name = &dot.name;
            placed.push(Placed { name, at, leader });
        }
    }
    placed
}

/// Directions and distances in the order in which they are preferred: above, then to the sides.
fn candidates() -> impl Iterator<Item = (f64, f64)> {
    let sides = |step: usize| match step % 2 {
        0 => step / 2,
        _ => DIRECTIONS - step.div_ceil(2),
    };
    FARTHER.into_iter().flat_map(move |farther| {
        (0..DIRECTIONS).map(move |step| (sides(step) as f64 / DIRECTIONS as f64, farther))
    })
}

/// The middle and the rectangle of a name in a direction, as a share of a full turn from above.
fn beside(dot: &Dot, turn: f64, farther: f64) -> ((f64, f64), Area) {
    let (sin, cos) = (turn * TAU).sin_cos();
    let width = width(&dot.name);
    let reach = dot.radius + GAP + farther;
    // Names stand above, below or wholly at a side.
    let side = |share: f64| {
        if share.abs() < 0.1 {
            0.0
        } else {
            share.signum()
        }
    };
    let middle = (
        dot.at.0 + reach * sin + side(sin) * width / 2.0,
        dot.at.1 - reach * cos - side(cos) * HEIGHT / 2.0,
    );
    (middle, Area::around(middle, width, HEIGHT))
}

/// The line from a name to the edge of its dot.
fn leader(dot: &Dot, area: &Area) -> Leader {
    let from = area.nearest(dot.at);
    let (across, down) = (dot.at.0 - from.0, dot.at.1 - from.1);
    let length = across.hypot(down).max(f64::MIN_POSITIVE);
    let rest = 1.0 - (dot.radius + 1.0) / length;
    [from, (from.0 + across * rest, from.1 + down * rest)]
}

/// Whether a line of a plot's length crosses a rectangle of a name's size.
fn crosses(line: &Leader, area: &Area) -> bool {
    let [from, to] = line;
    (0..=16).any(|step| {
        let share = f64::from(step) / 16.0;
        area.holds((
            from.0 + share * (to.0 - from.0),
            from.1 + share * (to.1 - from.1),
        ))
    })
}

/// How wide a name may be in any browser's sans-serif, at twelve units a line.
fn width(name: &str) -> f64 {
    let sign = |sign: char| match sign {
        'i' | 'j' | 'l' | 't' | 'f' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | ' ' => 4.8,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 12.0,
        // It escapes the next sign.
        '\\' => 0.0,
        sign if sign.is_ascii_lowercase() || sign.is_ascii_digit() => 7.7,
        sign if sign.is_ascii() => 9.2,
        _ => 12.0,
    };
    name.chars().map(sign).sum::<f64>() + 4.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Area = Area {
        left: 60.0,
        top: 10.0,
        right: 400.0,
        bottom: 250.0,
    };

    fn dots(at: impl IntoIterator<Item = (f64, f64)>) -> Vec<Dot> {
        let dots = at.into_iter().enumerate();
        let dots = dots.map(|(number, at)| Dot {
            at,
            radius: 3.5,
            name: format!("mean concave points {number}"),
        });
        dots.collect()
    }

    fn area(placed: &Placed) -> Area {
        Area::around(placed.at, width(placed.name), HEIGHT)
    }

    #[test]
    fn names_of_a_cluster_cover_neither_one_another_nor_a_named_dot() {
        // Twelve long names, eight of them within some 20 units at the top right.
        let cluster =
            (0..8).map(|at| (380.0 + f64::from(at % 3) * 6.0, 14.0 + f64::from(at) * 2.5));
        let apart = (0..4).map(|at| (100.0 + 60.0 * f64::from(at), 200.0));
        let dots = dots(cluster.chain(apart));
        let placed = places(&dots, &FRAME);
        assert_eq!(placed.len(), 12);
        for (at, own) in placed.iter().enumerate() {
            assert!(area(own).is_within(&FRAME), "{}", own.name);
            for other in &placed[at + 1..] {
                assert!(
                    !area(own).meets(&area(other)),
                    "{} {}",
                    own.name,
                    other.name
                );
            }
            assert!(dots.iter().all(|dot| !area(own).meets(&dot.area())));
            for other in &placed {
                assert!(!own.leader.is_some_and(|line| {
                    other.name != own.name && crosses(&line, &area(other))
                }));
            }
        }
    }

    #[test]
    fn a_lone_name_stands_right_above_its_dot_and_one_without_room_is_left_out() {
        let lone = dots([(200.0, 100.0)]);
        let placed = &places(&lone, &FRAME)[0];
        assert_eq!((placed.at.0, placed.leader), (200.0, None));
        assert!(placed.at.1 < 100.0);
        let narrow = Area {
            right: 100.0,
            ..FRAME
        };
        assert!(places(&lone, &narrow).is_empty());
    }
}
