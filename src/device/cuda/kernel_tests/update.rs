//! Fits of two models, updated by every kind of order. By observations.

use passel_kernels::{
    Kernel,
    least_squares::{ModelsArgs, ReferenceFit},
    update::{self, Order},
};

use super::{super::gpu::arguments, DeviceError, KernelCase, TestGpu, assert_near};

pub(super) struct Case;

/// Variables that a model has room for.
pub(super) const CAPACITY: usize = 16;

/// Models on the GPU, which begin with no variable and the residual y.
pub(super) struct TestModels {
    pub(super) args: ModelsArgs,
    pub(super) columns: u64,
    orders: u64,
    answers: u64,
}

impl TestModels {
    pub(super) fn new(
        test: &mut TestGpu,
        (columns, y): (&[f64], &[f64]),
        count: usize,
        keep: &[u32],
    ) -> Result<Self, DeviceError> {
        let (n, square) = (y.len(), y.iter().map(|value| value * value).sum::<f64>());
        let args = ModelsArgs {
            n: n as i64,
            capacity: CAPACITY as i32,
            y: test.put(y)?,
            residual: test.put(&y.repeat(count))?,
            rest: test.put(&vec![0.0f64; 8 * n])?,
            inverse: test.put(&vec![0.0f64; count * CAPACITY * (CAPACITY + 1) / 2])?,
            coefficients: test.put(&vec![0.0f64; count * CAPACITY])?,
            support: test.put(&vec![0u32; count * CAPACITY])?,
            addresses: test.put(&vec![0u64; count * CAPACITY])?,
            sizes: test.put(&vec![0i32; count])?,
            rss: test.put(&vec![square; count])?,
            keep: test.put(keep)?,
            kept: keep.len() as i32,
            spare: 0,
        };
        Ok(Self {
            args,
            columns: test.put(columns)?,
            orders: test.put(&[0u64; 32])?,
            answers: test.put(&[0u64; 16])?,
        })
    }

    /// Gives each model an order; RSS and the variable of each, none where nothing was done.
    pub(super) fn update(
        &self,
        test: &TestGpu,
        function: &'static str,
        orders: &[(usize, Order)],
    ) -> Result<Vec<(f64, Option<u32>)>, DeviceError> {
        let words = orders.iter().flat_map(|&(model, order)| {
            let (kind, variable) = match order {
                Order::Add(variable) => (0, variable),
                Order::Drop(variable) => (1, variable),
                Order::DropCheapest => (2, 0),
                Order::Refactor => (3, 0),
            };
            let column = self.columns + 8 * u64::from(variable) * self.args.n as u64;
            [model as u64, kind, variable.into(), column]
        });
        test.set(self.orders, &words.collect::<Vec<u64>>())?;
        let (args, orders_address, answers) = (self.args, self.orders, self.answers);
        let threads = if function == "update_256" { 256 } else { 512 };
        let shape = (threads, 24 * CAPACITY);
        let given = arguments![args, orders_address, answers];
        test.launch(&update::KERNEL, function, (orders.len() as u32, 1), shape, given)?;
        let answers = test.get::<[u64; 2]>(answers, orders.len())?;
        let answer = |answers: [u64; 2]| {
            let variable = u32::try_from(answers[1]).ok().filter(|it| *it != u32::MAX);
            (f64::from_bits(answers[0]), variable)
        };
        Ok(answers.into_iter().map(answer).collect())
    }

    /// The support of a model.
    pub(super) fn support(&self, test: &TestGpu, model: usize) -> Result<Vec<u32>, DeviceError> {
        let size = test.get::<i32>(self.args.sizes + 4 * model as u64, 1)?[0];
        test.get(self.args.support + (4 * CAPACITY * model) as u64, size as usize)
    }

    /// Compares support, coefficients, residual and RSS of a model with a fit made anew, of well
    /// conditioned columns: within 10⁻¹¹.
    fn compare(
        &self,
        test: &TestGpu,
        model: usize,
        (support, fit): &(Vec<u32>, ReferenceFit),
    ) -> Result<(), DeviceError> {
        assert_eq!(self.support(test, model)?, *support);
        let (n, k) = (self.args.n as usize, support.len());
        let at = |address: u64, words: usize| address + (8 * words * model) as u64;
        let coefficients = test.get::<f64>(at(self.args.coefficients, CAPACITY), k)?;
        let residual = test.get::<f64>(at(self.args.residual, n), n)?;
        let found = coefficients.iter().chain(&residual);
        for (found, expected) in found.zip(fit.coefficients.iter().chain(&fit.residual)) {
            assert_near(*found, *expected, 1e-11);
        }
        assert_near(test.get::<f64>(at(self.args.rss, 1), 1)?[0], fit.rss, 1e-11);
        Ok(())
    }
}

impl KernelCase for Case {
    const KERNELS: &'static [Kernel] = &[update::KERNEL];
    const SIZES: &'static [usize] = &[40, 255, 256, 257, 511, 513, 3000];

    fn check(test: &mut TestGpu, n: usize) -> Result<(), DeviceError> {
        let (mut columns, y) = test.regression(n, 12);
        // Column 11 is column 4: beside it it is collinear.
        columns.copy_within(4 * n..5 * n, 11 * n);
        let keep = [4];
        for function in ["update_256", "update_512"] {
            let models = TestModels::new(test, (&columns, &y), 2, &keep)?;
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
                let answers = models.update(test, function, &orders)?;
                for ((model, order), (rss, variable)) in orders.into_iter().zip(answers) {
                    let before = &supports[model];
                    let expected = update::reference(&columns, &y, before, &keep, order);
                    models.compare(test, model, &expected)?;
                    assert_near(rss, expected.1.rss, 1e-11);
                    if order != Order::Refactor {
                        let changed = before.len() != expected.0.len();
                        assert_eq!(variable.is_some(), changed, "{order:?}");
                    }
                    supports[model] = expected.0;
                }
            }
        }
        Ok(())
    }
}
