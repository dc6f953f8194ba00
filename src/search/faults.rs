//! A device that fails, at every point where it can.

use super::*;
use crate::{
    design::DesignOptions,
    device::{
        Candidate, Cpu, Device, DeviceError, Devices, ModelUpdate, ModelView, Neighbours, Shard,
        TermChange, UpdateOutcome,
    },
    least_squares::FitView,
    memory::MemoryBudget,
    random::Stream,
    selection::Termination,
    table::Table,
};
use passel_criteria::Ebic;

/// The CPU, until so many verbs are used up.
struct Failing<'x> {
    cpu: Cpu<'x>,
    left: usize,
}

impl Failing<'_> {
    fn verb(&mut self, during: &str) -> Result<(), DeviceError> {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(DeviceError::Failed {
                device: "cuda:3".into(),
                during: during.into(),
                reason: "it fell off the bus".into(),
            }),
        }
    }
}

impl Device for Failing<'_> {
    fn name(&self) -> String {
        "cuda:3".into()
    }

    fn screen_precision(&self) -> &'static str {
        self.cpu.screen_precision()
    }

    fn set_response(&mut self, y: &[f64]) -> Result<(), DeviceError> {
        self.verb("turn")?;
        self.cpu.set_response(y)
    }

    fn init_models(&mut self, model: &Fit, count: usize) -> Result<(), DeviceError> {
        self.verb("hold")?;
        self.cpu.init_models(model, count)
    }

    fn set_supports(&mut self, models: &[(usize, &[u32])]) -> Result<(), DeviceError> {
        self.verb("place")?;
        self.cpu.set_supports(models)
    }

    fn update_models(
        &mut self,
        updates: &[(usize, ModelUpdate)],
    ) -> Result<Vec<UpdateOutcome>, DeviceError> {
        self.verb("update")?;
        self.cpu.update_models(updates)
    }

    fn find_strongest(
        &mut self,
        models: &[ModelView],
        gain: Gain,
    ) -> Result<Vec<Vec<Candidate>>, DeviceError> {
        self.verb("strongest")?;
        self.cpu.find_strongest(models, gain)
    }

    fn find_strongest_terms(
        &mut self,
        models: &[ModelView],
        gain: Gain,
    ) -> Result<Vec<Vec<TermChange>>, DeviceError> {
        self.verb("strongest")?;
        self.cpu.find_strongest_terms(models, gain)
    }

    fn find_drop_costs(&mut self, models: &[usize]) -> Result<Vec<Vec<TermChange>>, DeviceError> {
        self.verb("costs")?;
        self.cpu.find_drop_costs(models)
    }

    fn find_neighbours(
        &mut self,
        anchors: &[FitView],
        keep: &[u32],
        count: usize,
        part: (usize, usize),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Neighbours>, DeviceError> {
        self.verb("neighbours")?;
        self.cpu.find_neighbours(anchors, keep, count, part, stop)
    }

    fn find_joining(
        &mut self,
        anchors: &[FitView],
        least: &[f64],
        part: (usize, usize),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Vec<Vec<u32>>, DeviceError> {
        self.verb("bounds")?;
        self.cpu.find_joining(anchors, least, part, stop)
    }
}

/// Whatever fails and whenever: an error that names the device, and no model lost that
/// was met before.
#[test]
fn a_device_that_fails_costs_nothing_that_was_found() {
    let (n, p) = (40, 60);
    let mut stream = Stream::new(7, 0);
    let mut draw = || (stream.next_word() >> 44) as f64 / (1 << 20) as f64 - 0.5;
    let mut columns: Vec<Vec<f64>> = (0..p).map(|_| (0..n).map(|_| draw()).collect()).collect();
    let y = (0..n).map(|i| 2.0 * columns[7][i] - columns[40][i] + 0.3 * draw());
    columns.push(y.collect());
    let named = columns.into_iter().enumerate();
    let named = named.map(|(j, values)| (format!("c{j}"), values.into()));
    let mut table = Table::from_columns(named).unwrap();
    table.response = Some(p);
    let design = Design::from_table(table, &DesignOptions::default()).unwrap();
    let pass = Pass {
        particles: 6,
        iterations: 5,
        max_size: Some(10),
        ..Pass::default()
    };
    let undefined = AtomicBool::new(false);
    let objective = Objective::new(&design, &Ebic { gamma: 1.0 }, &undefined).unwrap();
    let fitted = fit_kept(&design, &pass).unwrap();
    let problem = SearchProblem::new(objective, &pass, &fitted);
    let shard = |first: usize, end: usize| Shard {
        x: problem.x,
        first,
        own: problem.x.range(first..end),
    };
    let (mut at_start, mut later, mut verbs) = (0, 0, Vec::new());
    for left in 0.. {
        let failing = Failing {
            cpu: Cpu::new(shard(0, 30), problem.y, 1, (None, &MemoryBudget::default())),
            left,
        };
        let sound = Cpu::new(
            shard(30, 60),
            problem.y,
            1,
            (None, &MemoryBudget::default()),
        );
        let mut devices = Devices::from_devices(vec![Box::new(failing), Box::new(sound)], n, false);
        let mut lowest = f64::INFINITY;
        let mut observe = |record: &IterationRecord| lowest = record.best_value;
        let never = Interrupt::default();
        let control = RunControl {
            limits: Limits {
                interrupt: &never,
                communicator: None,
                start: Instant::now(),
            },
            observe: &mut observe,
            keeper: None,
        };
        match run_stages(problem, &mut devices, 1, control, None) {
            Err(error) => {
                assert!(error.to_string().contains("cuda:3"), "{error}");
                at_start += 1;
            }
            Ok(found) => {
                assert!((found.value - lowest).abs() <= 1e-9 * lowest.abs());
                assert_eq!(found.value, found.models[0].value);
                let Some(DeviceError::Failed { during, .. }) = found.fault else {
                    assert!(found.fault.is_none() && found.certified.is_some());
                    break;
                };
                assert_eq!(found.termination, Termination::Fault);
                assert!(found.certified.is_none() || during == "neighbours");
                verbs.push(during);
                later += 1;
            }
        }
    }
    verbs.dedup();
    assert!(at_start > 0 && later > 5, "{at_start} {later}");
    for verb in ["update", "strongest", "neighbours"] {
        assert!(verbs.iter().any(|told| told == verb), "{verb}: {verbs:?}");
    }
}
