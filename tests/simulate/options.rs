//! The options of `passel simulate`: what is told of them holds.

use passel::{
    job::{OptionError, SIMULATE, Simulation},
    simulate::{MODELS, SimulationModel, model},
};

fn given(
    model: &'static SimulationModel,
    options: &[(&str, &str)],
) -> Result<Simulation, Vec<OptionError>> {
    let given: Vec<_> = options
        .iter()
        .map(|(name, text)| {
            let option = SIMULATE.iter().find(|option| option.name == *name).unwrap();
            (option, vec![(*text).to_owned()])
        })
        .collect();
    Simulation::new(model, &given)
}

#[test]
fn defaults_told_are_the_defaults_taken() {
    for model in MODELS {
        let told: Vec<(&str, String)> = model
            .options
            .iter()
            .map(|option| (*option, model.defaults.text(option)))
            .collect();
        let told: Vec<(&str, &str)> = told.iter().map(|(name, text)| (*name, &**text)).collect();
        let asked = given(model, &told).unwrap();
        assert_eq!(asked.settings, model.defaults, "{}", model.name);
        model.check(&asked.settings).unwrap();
        assert_eq!(
            model.command(&asked.settings),
            told.iter()
                .fold(format!("simulate {}", model.name), |all, (name, text)| {
                    all + &format!(" --{name} {text}")
                })
        );
    }
}

#[test]
fn ranges_told_are_the_ranges_taken() {
    for (name, option, inside, outside) in [
        (
            "ar1",
            "n",
            &["3", "1000000000"][..],
            &["2", "1000000001", "x"][..],
        ),
        (
            "ar1",
            "p",
            &["1", "1000000000"],
            &["0", "1000000001", "1.5"],
        ),
        ("ar1", "r", &["1", "7"], &["0", "-1"]),
        (
            "ar1",
            "rho",
            &["0", "-.9", "0.999"],
            &["1", "-1", "NaN", "x"],
        ),
        (
            "ar1",
            "snr",
            &["1e-9", "1e15", "none", "2"],
            &["0", "-1", "inf", "NaN", "None"],
        ),
        (
            "ar1",
            "seed",
            &["0", "18446744073709551615"],
            &["-1", "18446744073709551616"],
        ),
        ("hung", "snps", &["22", "4000"], &["21", "4001"]),
        ("genotypes", "block", &["1", "1000"], &["0", "1001"]),
        (
            "genotypes",
            "maf",
            &["1e-9,.5", "0.2,0.2"],
            &[
                "0,0.5",
                "0.2,0.1",
                "0.1,0.6",
                "0.1",
                "0.1,x",
                "NaN,0.5",
                "0.1,0.2,0.3",
            ],
        ),
        (
            "genotypes",
            "missing",
            &["0", "0.999"],
            &["1", "-0.1", "NaN"],
        ),
        (
            "genotypes",
            "heritability",
            &["1e-9", "0.999"],
            &["0", "1", "NaN"],
        ),
        (
            "chen-chen",
            "correlation",
            &["independent", "constant", "ar"],
            &["AR", "ar1"],
        ),
    ] {
        let model = model(name).unwrap();
        for text in inside {
            given(model, &[(option, text)]).unwrap();
        }
        let range = &SIMULATE
            .iter()
            .find(|entry| entry.name == option)
            .unwrap()
            .range;
        for text in outside {
            let errors = given(model, &[(option, text)]).unwrap_err();
            let told: Vec<String> = errors.iter().map(ToString::to_string).collect();
            assert_eq!(told, [format!("{option} = {text} must be {range}")]);
        }
    }
}

#[test]
fn a_model_refuses_what_it_has_no_option_for() {
    for model in MODELS {
        let of_all = ["family", "output", "overwrite", "timeout"];
        let options = SIMULATE.iter();
        for option in options.filter(|option| !of_all.contains(&option.name)) {
            let default = match model.options.contains(&option.name) {
                true => continue,
                // A value outside its range too: the model does not read it.
                false => ["0", "nonsense"],
            };
            for text in default {
                let errors = given(model, &[(option.name, text)]).unwrap_err();
                let options = model.options.join(", ");
                assert_eq!(errors.len(), 1);
                assert_eq!(
                    errors[0].to_string(),
                    format!(
                        "the model {} has no option {}: it has {options}",
                        model.name, option.name
                    )
                );
            }
        }
    }
}
