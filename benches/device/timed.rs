//! Searches on one device, timed.

use std::num::NonZeroUsize;

use passel::{
    Design, Interrupt, Pass,
    criteria::named,
    device::{DeviceChoice, Precision, Resources},
    search::{MoveKind, SearchError, SearchResult, search},
};

use crate::problems::{Model, Problem, design};

/// How many GPUs there are, by a tiny search on all.
pub fn gpus() -> usize {
    let resources = Resources {
        devices: DeviceChoice::Cuda(Vec::new()),
        ..Resources::default()
    };
    match run(&design(Model::IngLai, 30, 64), "bic", false, &resources) {
        Ok((found, _)) if found.devices[0].starts_with("cuda") => found.devices.len(),
        Ok(_) => 0,
        Err(error) => {
            eprintln!("no GPU: {error}");
            0
        }
    }
}

/// `cpu`, `cuda`, `cuda:0+2`.
fn choice(device: &str) -> DeviceChoice {
    match device.split_once(':') {
        None if device == "cpu" => DeviceChoice::Cpu(NonZeroUsize::MIN),
        None if device == "cuda" => DeviceChoice::Cuda(Vec::new()),
        Some(("cuda", list)) => {
            DeviceChoice::Cuda(list.split('+').map(|n| n.parse().unwrap()).collect())
        }
        _ => panic!("--devices {device}"),
    }
}

/// A search, and in how many iterations a particle was swept for, at most.
fn run(
    design: &Design,
    criterion: &str,
    polish: bool,
    resources: &Resources,
) -> Result<(SearchResult, usize), SearchError> {
    let pass = Pass {
        particles: 256,
        iterations: 64,
        polish,
        ..Pass::default()
    };
    let mut sweeps = 0;
    let found = search(
        design,
        &*named(criterion, &[]).unwrap(),
        &pass,
        resources,
        &Interrupt::default(),
        None,
        &mut |iteration| {
            let mut steps = iteration.steps.iter();
            sweeps += usize::from(steps.any(|step| step.kind == MoveKind::AddImprove));
        },
    )?;
    Ok((found, sweeps))
}

/// One line of the table.
#[derive(Clone)]
pub struct Row {
    pub device: String,
    pub screen: String,
    pub starting: f64,
    /// Ascending.
    pub seconds: Vec<f64>,
    pub members: Vec<u32>,
    pub value: f64,
    pub stream: Option<f64>,
}

impl Row {
    pub fn median(&self) -> f64 {
        let middle = self.seconds.len() / 2;
        match self.seconds.len() % 2 {
            1 => self.seconds[middle],
            _ => (self.seconds[middle - 1] + self.seconds[middle]) / 2.0,
        }
    }

    /// FNV-1a of the selected columns.
    pub fn hash(&self) -> u32 {
        let bytes = self.members.iter().flat_map(|member| member.to_le_bytes());
        bytes.fold(0x811c_9dc5, |hash, byte| {
            (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
        })
    }

    pub fn is_like(&self, other: &Self) -> bool {
        let off = (self.value - other.value).abs();
        self.members == other.members && off <= 1e-9 * other.value.abs().max(1.0)
    }
}

/// Times a problem on a device.
pub fn timed(
    problem: &Problem,
    design: &Design,
    device: &str,
    precision: Precision,
    runs: usize,
) -> Result<Row, String> {
    let bytes = 8 * design.columns().values().len() as u64;
    let mut resources = Resources {
        devices: choice(device),
        precision,
        ..Resources::default()
    };
    let criterion = match problem.model {
        Model::IngLai => "hdbic",
        Model::ChenChen | Model::Logistic | Model::Cox => "ebic",
    };
    if problem.streams {
        let count = match &resources.devices {
            DeviceChoice::Cuda(list) if list.is_empty() => gpus().max(1),
            DeviceChoice::Cuda(list) => list.len(),
            _ => 1,
        };
        resources.memory_limit = Some(bytes / 4 / count as u64);
    }
    let mut row = Row {
        device: device.to_owned(),
        screen: String::new(),
        starting: 0.0,
        seconds: Vec::new(),
        members: Vec::new(),
        value: 0.0,
        stream: None,
    };
    let mut starts = Vec::new();
    let mut swept = 0;
    for _ in 0..runs.max(1) {
        let run = run(design, criterion, problem.polish, &resources);
        let (found, sweeps) = run.map_err(|error| error.to_string())?;
        if let Some(fault) = found.fault {
            return Err(fault.to_string());
        }
        let kind = &device[..device.find(':').unwrap_or(device.len())];
        if !found.devices.iter().all(|name| name.starts_with(kind)) {
            return Err(format!("it ran on {:?}", found.devices));
        }
        swept = sweeps;
        starts.push(found.starting);
        row.seconds.push(found.seconds);
        row.device = match &*found.devices {
            [one] => one.clone(),
            [first, rest @ ..] => format!("{first} + {}", rest.len()),
            [] => row.device,
        };
        row.screen = found.screen.to_owned();
        row.value = found.value;
        row.members = found.fit.support().to_vec();
        row.members.sort_unstable();
    }
    starts.sort_by(f64::total_cmp);
    row.seconds.sort_by(f64::total_cmp);
    row.starting = starts[starts.len() / 2];
    if problem.streams && device != "cpu" {
        row.stream = Some(0.75 * bytes as f64 * swept as f64 / row.median() / 1e9);
    }
    Ok(row)
}
