//! Fits of two models, updated by every kind of order. By observations.

use passel_kernels::{
    least_squares::{self, ModelsArgs, ReferenceFit},
    update::{self, KERNEL, Order},
};

use super::{TestGpu, arguments, assert_near, dot};

pub const SIZES: &[usize] = &[40, 255, 256, 257, 511, 513, 3000];

/// Variables that a model has room for.
pub const CAPACITY: usize = 16;

/// Models on the GPU, which begin with no variable and the residual y.
pub struct TestModels {
    pub args: ModelsArgs,
    pub columns: u64,
    orders: u64,
    answers: u64,
}

impl TestModels {
    pub fn new(
        test: &mut TestGpu,
        (columns, y): (&[f64], &[f64]),
        count: usize,
        keep: &[u32],
    ) -> Self {
        let n = y.len();
        let args = ModelsArgs {
            n: n as i64,
            capacity: CAPACITY as i32,
            y: test.put(y),
            residual: test.put(&y.repeat(count)),
            rest: test.fill(0.0f64, 8 * n),
            inverse: test.fill(0.0f64, count * CAPACITY * (CAPACITY + 1) / 2),
            coefficients: test.fill(0.0f64, count * CAPACITY),
            support: test.fill(0u32, count * CAPACITY),
            addresses: test.fill(0u64, count * CAPACITY),
            sizes: test.fill(0i32, count),
            rss: test.fill(dot(y, y), count),
            keep: test.put(keep),
            kept: keep.len() as i32,
            spare: 0,
        };
        Self {
            args,
            columns: test.put(columns),
            orders: test.fill(0u64, 32),
            answers: test.fill(0u64, 16),
        }
    }

    /// Gives each model an order, or several one after another; RSS and the variable of each, none where
    /// nothing was done.
    pub fn update(
        &self,
        test: &TestGpu,
        function: &'static str,
        orders: &[(usize, Order)],
    ) -> Vec<(f64, Option<u32>)> {
        let is_first = |at: &usize| orders[..*at].iter().all(|other| other.0 != orders[*at].0);
        let blocks = (0..orders.len()).take_while(is_first).count();
        let words = orders.iter().enumerate().flat_map(|(at, &(model, order))| {
            let (kind, variable) = match order {
                Order::Add(variable) => (update::ADD, variable),
                Order::Drop(variable) => (update::DROP, variable),
                Order::DropCheapest => (update::DROP_CHEAPEST, 0),
                Order::Refactor => (update::REFACTOR, 0),
                Order::Rebuild => (update::REBUILD, 0),
            };
            let later = (at + 1..orders.len()).find(|later| orders[*later].0 == model);
            let next = later.unwrap_or(0) as u64;
            let column = self.columns + 8 * u64::from(variable) * self.args.n as u64;
            [model as u64, kind + 256 * next, variable.into(), column]
        });
        test.set(self.orders, &words.collect::<Vec<u64>>());
        let grid = (blocks as u32, 1);
        let shape = (
            if function.ends_with("256") { 256 } else { 512 },
            24 * CAPACITY,
        );
        let given = arguments![self.args, self.orders, self.answers];
        test.launch(&KERNEL, function, grid, shape, given);
        let answers = test.get::<[u64; 2]>(self.answers, orders.len());
        let answer = |[rss, variable]: [u64; 2]| {
            let variable = u32::try_from(variable)
                .ok()
                .filter(|number| *number != u32::MAX);
            (f64::from_bits(rss), variable)
        };
        answers.into_iter().map(answer).collect()
    }

    /// Gives a model other columns, to be rebuilt.
    fn place(&self, test: &TestGpu, model: usize, support: &[u32]) {
        let n = self.args.n as u64;
        let address = |column: &u32| self.columns + 8 * u64::from(*column) * n;
        let addresses: Vec<u64> = support.iter().map(address).collect();
        let at = (CAPACITY * model) as u64;
        test.set(self.args.support + 4 * at, support);
        test.set(self.args.addresses + 8 * at, &addresses);
        test.set(self.args.sizes + 4 * model as u64, &[support.len() as i32]);
    }

    /// Compares support, coefficients, residual and RSS of a model with a fit made anew, of well
    /// conditioned columns: within 10⁻¹¹.
    fn compare(&self, test: &TestGpu, model: usize, (support, fit): &(Vec<u32>, ReferenceFit)) {
        let (args, n, k) = (&self.args, self.args.n as usize, support.len());
        let size = test.get::<i32>(args.sizes, model + 1)[model] as usize;
        let members = args.support + (4 * CAPACITY * model) as u64;
        assert_eq!(test.get::<u32>(members, size), *support);
        let floats = |address: u64, each: usize, count: usize| {
            test.get::<f64>(address + (8 * each * model) as u64, count)
        };
        let found = [
            floats(args.coefficients, CAPACITY, k),
            floats(args.residual, n, n),
        ]
        .concat();
        let expected = fit.coefficients.iter().chain(&fit.residual);
        for (found, expected) in found.into_iter().zip(expected) {
            assert_near(found, *expected, 1e-11);
        }
        assert_near(floats(args.rss, 1, 1)[0], fit.rss, 1e-11);
    }
}

pub fn check(test: &mut TestGpu, n: usize) {
    let (mut columns, y) = test.regression(n, 12);
    // Column 11 is column 4: beside it it is collinear.
    columns.copy_within(4 * n..5 * n, 11 * n);
    let keep = [4];
    for function in ["update_256", "update_512"] {
        let models = TestModels::new(test, (&columns, &y), 2, &keep);
        let mut supports = [Vec::new(), Vec::new()];
        let rounds = [
            [Order::Add(4), Order::Add(7)],
            [Order::Add(11), Order::Add(2)],
            [Order::Add(0), Order::Add(9)],
            [Order::Add(6), Order::Drop(2)],
            [Order::Add(3), Order::Drop(5)],
            [Order::DropCheapest, Order::Add(4)],
            [Order::DropCheapest, Order::Add(1)],
            [Order::Drop(4), Order::Refactor],
        ];
        for orders in rounds {
            let orders = [(1, orders[1]), (0, orders[0])];
            let answers = models.update(test, function, &orders);
            for ((model, order), (rss, variable)) in orders.into_iter().zip(answers) {
                let before = &supports[model];
                let expected = update::reference(&columns, &y, before, &keep, order);
                models.compare(test, model, &expected);
                assert_near(rss, expected.1.rss, 1e-11);
                if order != Order::Refactor {
                    let changed = before.len() != expected.0.len();
                    assert_eq!(variable.is_some(), changed, "{order:?}");
                }
                supports[model] = expected.0;
            }
        }
        // Several orders of one model in one launch; the second has one alone.
        let orders = [
            (0, Order::Add(1)),
            (1, Order::Rebuild),
            (0, Order::Add(5)),
            (0, Order::Drop(0)),
        ];
        let of_terms = match function {
            "update_256" => "update_terms_256",
            _ => "update_terms_512",
        };
        let answers = models.update(test, of_terms, &orders);
        for ((model, order), (rss, _)) in orders.into_iter().zip(answers) {
            let before = &supports[model];
            let (after, fit) = update::reference(&columns, &y, before, &keep, order);
            assert_near(rss, fit.rss, 1e-11);
            supports[model] = after;
        }
        for (model, support) in supports.iter().enumerate() {
            let fit = least_squares::reference(&columns, &y, support);
            models.compare(test, model, &(support.clone(), fit));
        }
        // Columns 4 and 11 are one, of which the later is left out.
        models.place(test, 1, &[11, 3, 4, 0]);
        let rebuilt = models.update(test, of_terms, &[(1, Order::Rebuild)]);
        let expected = update::reference(&columns, &y, &[11, 3, 4, 0], &keep, Order::Rebuild);
        assert_eq!(expected.0, [0, 3, 4]);
        assert_eq!(rebuilt[0].1, Some(3));
        models.compare(test, 1, &expected);
    }
}
