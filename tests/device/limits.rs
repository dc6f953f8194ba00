//! What bounds a run does so on every device.

use std::num::NonZeroUsize;

use passel::{
    Interrupt, Pass,
    device::{DeviceChoice, Resources},
    selection::Termination,
};

use crate::{cases, places, same};

#[test]
fn devices_stop_when_asked() {
    let cases = cases::ing_lai();
    let mut resources = vec![Resources {
        devices: DeviceChoice::Cpu(NonZeroUsize::new(3).unwrap()),
        ..places::plain()
    }];
    if places::cuda_is_there() {
        resources.extend(
            places::cudas(&cases[0].design)
                .into_iter()
                .map(|place| place.resources),
        );
    }
    for resources in resources {
        let interrupt = Interrupt::default();
        let pass = Pass {
            iterations: 1_000_000,
            ..cases[0].pass.clone()
        };
        let found = passel::search::search(
            &cases[0].design,
            &*cases[0].criterion,
            &pass,
            &resources,
            &interrupt,
            None,
            &mut |iteration| {
                if iteration.number == 3 {
                    interrupt.request();
                }
            },
        )
        .unwrap();
        assert_eq!(found.termination, Termination::Interrupted);
    }
}

#[test]
fn devices_are_named_in_the_result() {
    let case = &cases::fewer_columns_than_shards()[0];
    let names = same::run(case, &places::plain()).found.devices;
    assert_eq!(names, ["cpu"]);
    if places::cuda_is_there() {
        for place in places::cudas(&case.design) {
            let names = same::run(case, &place.resources).found.devices;
            let named = names.iter().all(|name| name.starts_with("cuda:"));
            assert!(named && !names.is_empty(), "{names:?} on {}", place.name);
        }
    }
}
