//! Places for names beside the dots of a plot: none covers another name or a named dot, no line from
//! a name to its dot crosses another, and all are within the frame.

use crate::random::Stream;

/// The height of a name, its accents and tails included.
const HEIGHT: f64 = 14.0;

/// From a dot to its name.
const GAP: f64 = 3.0;

/// How much farther to either side of a dot places are tried.
const ASIDE: [f64; 5] = [0.0, 14.0, 30.0, 50.0, 75.0];

/// How many lines above and below a dot places are tried.
const LINES: u32 = 14;

/// Rounds in which names look for places, and by how much their preferences differ from round to
/// round.
const ROUNDS: usize = 200;
const JITTER: f64 = 60.0;

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

    fn distance(&self, point: (f64, f64)) -> f64 {
        let nearest = self.nearest(point);
        (nearest.0 - point.0).hypot(nearest.1 - point.1)
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

/// A place where a name may stand, as far as dots and the frame go.
struct Place {
    middle: (f64, f64),
    area: Area,
    leader: Option<Leader>,
    /// The distance from the dot, and what is covered.
    cost: f64,
}

/// Finds places for names, of which one without room is left out. Dots without a name are covered
/// only where nothing else is free.
pub(super) fn places<'a>(dots: &'a [Dot], frame: &Area) -> Vec<Placed<'a>> {
    let named: Vec<&Dot> = dots.iter().filter(|dot| !dot.name.is_empty()).collect();
    let all: Vec<Vec<Place>> = named.iter().map(|dot| free(dot, dots, frame)).collect();
    // The best of one round in the order of names, and of others in random orders and with random
    // preferences: a name may bar the way to all that come after it.
    let mut random = Stream::new(0, 0);
    let mut best: (usize, f64, Vec<Option<usize>>) = (0, f64::INFINITY, Vec::new());
    for round in 0..ROUNDS {
        let mut order: Vec<usize> = (0..all.len()).collect();
        if round > 0 {
            random.shuffle(&mut order);
        }
        let (cost, chosen) = arranged(&all, &order, || match round {
            0 => 0.0,
            _ => JITTER * (random.next_word() as f64 / u64::MAX as f64),
        });
        let count = chosen.iter().flatten().count();
        if count > best.0 || count == best.0 && cost < best.1 {
            best = (count, cost, chosen);
        }
        if round == 0 && best.0 == all.len() {
            break;
        }
    }
    let chosen = named.into_iter().zip(&all).zip(best.2);
    let placed = chosen.filter_map(|((dot, places), own)| {
        let Place { middle, leader, .. } = places[own?];
        let name = &dot.name;
        let at = middle;
        Some(Placed { name, at, leader })
    });
    placed.collect()
}

/// Chooses for each name, one after the other, the cheapest place that those before it left free.
/// Returns what these cost, and which they are.
fn arranged(
    all: &[Vec<Place>],
    order: &[usize],
    mut jitter: impl FnMut() -> f64,
) -> (f64, Vec<Option<usize>>) {
    let mut chosen = vec![None; all.len()];
    let mut taken: Vec<&Place> = Vec::new();
    let mut total = 0.0;
    for &name in order {
        let clear = |place: &&Place| {
            !taken.iter().any(|other| {
                let crosses =
                    |line: &Option<Leader>, area| line.is_some_and(|line| crosses(&line, area));
                let lines = place.leader.zip(other.leader);
                other.area.meets(&place.area)
                    || lines.is_some_and(|(line, other)| meet(&line, &other))
                    || crosses(&other.leader, &place.area)
                    || crosses(&place.leader, &other.area)
            })
        };
        let clear = all[name].iter().enumerate().filter(|own| clear(&own.1));
        let costs = clear.map(|(at, place)| (place.cost + jitter(), at));
        if let Some((_, at)) = costs.min_by(|a, b| a.0.total_cmp(&b.0)) {
            let place = &all[name][at];
            total += place.cost;
            taken.push(place);
            chosen[name] = Some(at);
        }
    }
    (total, chosen)
}

/// The places of a name within the frame that cover no named dot, the preferred first: above its
/// dot, at its sides, below it, then farther off; each is moved back into the frame.
fn free(dot: &Dot, dots: &[Dot], frame: &Area) -> Vec<Place> {
    let half = width(&dot.name) / 2.0;
    let line = |count: u32| {
        let near = dot.radius + GAP + HEIGHT / 2.0;
        near + 0.6 * HEIGHT * f64::from(count)
    };
    let lines = (1..LINES).flat_map(|count| [-line(count), line(count)]);
    let lines = [-line(0), 0.0, line(0)].into_iter().chain(lines);
    let side = half + dot.radius + GAP;
    let sides = ASIDE
        .into_iter()
        .flat_map(|more| [side + more, -side - more]);
    let sides: Vec<f64> = [0.0].into_iter().chain(sides).collect();
    let back = |at: f64, from: f64, to: f64, half: f64| (from + half).max(at.min(to - half));
    let mut places = Vec::new();
    for (down, across) in lines.flat_map(|down| sides.iter().map(move |across| (down, across))) {
        let middle = (
            back(dot.at.0 + across, frame.left, frame.right, half),
            back(dot.at.1 + down, frame.top, frame.bottom, HEIGHT / 2.0),
        );
        let area = Area::around(middle, 2.0 * half, HEIGHT);
        let covers = |other: &&Dot| other.area().meets(&area);
        let farther = area.distance(dot.at) - dot.radius - GAP;
        let leader = (farther > GAP).then(|| leader(dot, &area));
        let mut named = dots.iter().filter(|other| !other.name.is_empty());
        let is_taken = named.any(|other| {
            let own = other.area();
            // Its own dot is where a line ends.
            let is_other = other.at != dot.at;
            own.meets(&area) || is_other && leader.is_some_and(|line| crosses(&line, &own))
        });
        if !is_taken && area.is_within(frame) {
            let covered = dots.iter().filter(covers).count();
            places.push(Place {
                middle,
                leader,
                // Of equals the first.
                cost: farther + 8.0 * covered as f64 + 0.01 * places.len() as f64,
                area,
            });
        }
    }
    places
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

/// Whether two lines meet.
fn meet([a, b]: &Leader, [c, d]: &Leader) -> bool {
    // On which side of the line from p to q a point is.
    let side = |p: (f64, f64), q: (f64, f64), at: (f64, f64)| {
        (q.0 - p.0) * (at.1 - p.1) - (q.1 - p.1) * (at.0 - p.0)
    };
    side(*a, *b, *c) * side(*a, *b, *d) < 0.0 && side(*c, *d, *a) * side(*c, *d, *b) < 0.0
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
        // Ten long names, six of them within some 30 units at the top right.
        let cluster = (0..6).map(|at| {
            let at = f64::from(at);
            (355.0 + at % 3.0 * 15.0, 16.0 + 6.0 * at)
        });
        let apart = (0..4).map(|at| (100.0 + 60.0 * f64::from(at), 200.0));
        let dots = dots(cluster.chain(apart));
        let placed = places(&dots, &FRAME);
        assert!(placed.len() >= 8, "{}", placed.len());
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
            let other_lines = placed.iter().filter(|other| other.name != own.name);
            let mut other_lines = other_lines.filter_map(|other| other.leader);
            assert!(!other_lines.any(|line| {
                let own_line = own.leader;
                crosses(&line, &area(own)) || own_line.is_some_and(|own| meet(&own, &line))
            }));
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
