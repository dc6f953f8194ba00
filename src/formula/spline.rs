//! Bases of splines: B-splines, and natural cubic splines made of them.
//!
//! *Source*: de Boor, A Practical Guide to Splines (1978), chapter X.

/// Knots of a spline of an order, which is its degree + 1.
pub(super) struct Knots {
    /// All knots ascending, the boundary knots `order` times each.
    all: Vec<f64>,
    order: usize,
    lower: f64,
    upper: f64,
}

impl Knots {
    /// The inner knots must lie strictly between the boundary knots.
    pub(super) fn new(inner: &[f64], (lower, upper): (f64, f64), order: usize) -> Self {
        let mut all = vec![lower; order];
        all.extend(inner);
        all.extend(vec![upper; order]);
        all.sort_by(f64::total_cmp);
        Self {
            all,
            order,
            lower,
            upper,
        }
    }

    /// How many functions the basis has.
    pub(super) fn count(&self) -> usize {
        self.all.len() - self.order
    }

    /// The last knot of the interval whose polynomials hold at `x`: those of the first or the last
    /// interval beyond the boundary.
    fn interval(&self, x: f64) -> usize {
        let after = self.all.partition_point(|knot| *knot <= x);
        let last = self.all.len() - self.order - 1;
        after.saturating_sub(1).clamp(self.order - 1, last)
    }

    /// The functions of an order that are not zero in an interval, at `x`.
    fn values(&self, interval: usize, order: usize, x: f64) -> Vec<f64> {
        let mut values = vec![1.0];
        for degree in 1..order {
            let mut carried = 0.0;
            for (place, value) in values.iter_mut().enumerate() {
                let right = self.all[interval + place + 1];
                let left = self.all[interval + 1 + place - degree];
                let share = *value / (right - left);
                *value = carried + (right - x) * share;
                carried = (x - left) * share;
            }
            values.push(carried);
        }
        values
    }

    /// A derivative of all functions of the basis at `x`; the 0th is their values. Beyond the
    /// boundary knots the polynomials of the first or the last interval go on.
    pub(super) fn derivative(&self, x: f64, derivative: usize) -> Vec<f64> {
        let interval = self.interval(x);
        let mut values = self.values(interval, self.order - derivative, x);
        for order in self.order - derivative + 1..=self.order {
            let scale = (order - 1) as f64;
            let slope = |place: usize| -> f64 {
                // Function `place` of the order below, over the width of its support.
                let left = self.all[interval + 2 + place - order];
                let right = self.all[interval + 1 + place];
                scale * values[place] / (right - left)
            };
            values = (0..order)
                .map(|place| {
                    let rising = if place > 0 { slope(place - 1) } else { 0.0 };
                    let falling = if place < order - 1 { slope(place) } else { 0.0 };
                    rising - falling
                })
                .collect();
        }
        let mut all = vec![0.0; self.count()];
        let first = interval + 1 - self.order;
        all[first..first + self.order].copy_from_slice(&values);
        all
    }

    /// The functions at `x`, those of natural splines going on as straight lines beyond the
    /// boundary knots.
    fn with_straight_ends(&self, x: f64) -> Vec<f64> {
        let boundary = x.clamp(self.lower, self.upper);
        let mut values = self.derivative(boundary, 0);
        if x != boundary {
            let slopes = self.derivative(boundary, 1);
            for (value, slope) in values.iter_mut().zip(slopes) {
                *value += (x - boundary) * slope;
            }
        }
        values
    }
}

/// The B-spline basis: a column a function, without the first unless `intercept`.
pub(super) fn b_spline(values: &[f64], knots: &Knots, intercept: bool) -> Vec<Vec<f64>> {
    let skipped = usize::from(!intercept);
    let mut columns = vec![Vec::with_capacity(values.len()); knots.count() - skipped];
    for x in values {
        let functions = knots.derivative(*x, 0);
        for (column, value) in columns.iter_mut().zip(&functions[skipped..]) {
            column.push(*value);
        }
    }
    columns
}

/// The basis of natural cubic splines, whose second derivatives vanish at the boundary knots. As in
/// R, it is the basis of cubic B-splines turned by the orthogonal factor of these two conditions,
/// without the first two columns.
pub(super) fn natural_spline(values: &[f64], knots: &Knots, intercept: bool) -> Vec<Vec<f64>> {
    let skipped = usize::from(!intercept);
    let ends = [knots.lower, knots.upper];
    let conditions = ends.map(|end| knots.derivative(end, 2).split_off(skipped));
    let reflections = householder(conditions);
    let width = knots.count() - skipped;
    let mut columns = vec![Vec::with_capacity(values.len()); width - 2];
    for x in values {
        let mut functions = knots.with_straight_ends(*x).split_off(skipped);
        for (place, reflection) in reflections.iter().enumerate() {
            reflect(&mut functions[place..], reflection);
        }
        for (column, value) in columns.iter_mut().zip(&functions[2..]) {
            column.push(*value);
        }
    }
    columns
}

/// The Householder reflections of the QR factorisation of two columns, as LINPACK has them: vectors u
/// of I − u uᵀ / u₁.
fn householder([mut first, mut second]: [Vec<f64>; 2]) -> [Vec<f64>; 2] {
    to_reflection(&mut first);
    reflect(&mut second, &first);
    let mut second = second.split_off(1);
    to_reflection(&mut second);
    [first, second]
}

fn to_reflection(column: &mut [f64]) {
    let norm = column.iter().map(|value| value * value).sum::<f64>().sqrt();
    let norm = if column[0] < 0.0 { -norm } else { norm };
    if norm != 0.0 {
        column.iter_mut().for_each(|value| *value /= norm);
        column[0] += 1.0;
    }
}

fn reflect(values: &mut [f64], reflection: &[f64]) {
    if reflection[0] == 0.0 {
        return;
    }
    let product: f64 = values.iter().zip(reflection).map(|(a, b)| a * b).sum();
    let factor = product / reflection[0];
    for (value, part) in values.iter_mut().zip(reflection) {
        *value -= factor * part;
    }
}

/// A quantile by linear interpolation between ascending values (R's type 7).
pub(super) fn quantile(ascending: &[f64], probability: f64) -> f64 {
    let position = probability * (ascending.len() - 1) as f64;
    let below = position.floor();
    let at = below as usize;
    let low = ascending[at];
    match ascending.get(at + 1) {
        Some(high) if position > below => {
            let share = position - below;
            (1.0 - share) * low + share * high
        }
        _ => low,
    }
}
