//! Survival times, as users of the program ask for them.

use serde_json::Value;

use crate::support::Folder;

/// One observation: times, whether it ended by an event, when it entered, its stratum, and what explains it.
struct Row {
    days: f64,
    status: u32,
    from: f64,
    site: &'static str,
    age: f64,
    dose: f64,
}

/// A hundred of them, with equal times.
fn rows() -> Vec<Row> {
    let row = |at: u32| {
        let mixed = at * 37 % 101;
        let (age, dose) = (f64::from(mixed % 23), f64::from(at % 5));
        let left = 60.0 - 1.5 * age - 4.0 * dose + f64::from(at * 29 % 31);
        let days = (left / 4.0).max(1.0).floor();
        Row {
            days,
            status: u32::from(!at.is_multiple_of(4)),
            from: (days / f64::from(2 + at % 3)).floor() - 0.5,
            site: ["east", "north", "west"][(at % 3) as usize],
            age,
            dose,
        }
    };
    (0..100).map(row).collect()
}

fn folder() -> Folder {
    let folder = Folder::new();
    let mut text = String::from("days,status,coded,from,site,age,dose,noise\n");
    for (at, row) in rows().iter().enumerate() {
        let Row {
            days,
            status,
            from,
            site,
            age,
            dose,
        } = row;
        let coded = ["censored", "event"][*status as usize];
        text += &format!(
            "{days},{status},{coded},{from},{site},{age},{dose},{}\n",
            at * 13 % 29
        );
    }
    folder.write("t.csv", &text);
    folder
}

fn select(folder: &Folder, drop: &str, more: &[&str]) -> Value {
    let own = [
        "select", "t.csv", "--family", "cox", "--time", "days", "--format", "json",
    ];
    let ran = folder.run(&[&own, &["--drop", drop][..], more].concat());
    assert_eq!(ran.code, Some(0), "{more:?}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap()
}

/// What the report says of a model is what the definition does, from its coefficients.
#[test]
fn numbers_of_a_report_are_those_of_the_definition() {
    let folder = folder();
    for (drop, more, has_entry, has_strata) in [
        ("coded,from,site", &[][..], false, false),
        ("coded,site", &["--entry", "from"], true, false),
        (
            "coded,from",
            &["--strata", "site", "--ties", "breslow"],
            false,
            true,
        ),
    ] {
        let report = select(&folder, drop, &[&["--event", "status"], more].concat());
        let family = &report["family"];
        let survival = &family["survival"];
        assert_eq!(
            (&family["name"], &family["ratio"]),
            (&"cox".into(), &"hazard ratio".into())
        );
        assert_eq!(report["certified"], "global");
        assert!(report["intercept"].is_null());
        let rows = rows();
        let events = rows.iter().filter(|row| row.status == 1).count();
        assert_eq!(survival["events"], events);
        let coefficient = |name: &str| {
            let chosen = report["selected"].as_array().unwrap().iter();
            let own = chosen.clone().find(|own| own["name"] == name);
            own.map_or(0.0, |own| own["coefficient"].as_f64().unwrap())
        };
        let (of_age, of_dose) = (coefficient("age"), coefficient("dose"));
        assert!(
            of_age > 0.05 && of_dose > 0.1,
            "{more:?}: {of_age} {of_dose}"
        );
        let chosen = &report["selected"][0];
        let ratio = chosen["ratio"].as_f64().unwrap();
        assert!((ratio - chosen["coefficient"].as_f64().unwrap().exp()).abs() < 1e-12);
        assert!(chosen["z"].is_number() && chosen["t"].is_null());
        let mean = |of: &dyn Fn(&Row) -> f64| rows.iter().map(of).sum::<f64>() / 100.0;
        let (age, dose) = (mean(&|row| row.age), mean(&|row| row.dose));
        let eta = |row: &Row| of_age * (row.age - age) + of_dose * (row.dose - dose);
        let together = |a: &Row, b: &Row| !has_strata || a.site == b.site;
        // Pairs, one by one.
        let (mut concordant, mut pairs) = (0.0, 0.0);
        for a in rows.iter().filter(|row| row.status == 1) {
            for b in rows.iter().filter(|b| together(a, b)) {
                let is_later = b.days > a.days || (b.days == a.days && b.status == 0);
                if is_later && (!has_entry || b.from < a.days) {
                    pairs += 1.0;
                    concordant += match eta(a) - eta(b) {
                        difference if difference.abs() < 1e-12 => 0.5,
                        difference => f64::from(u8::from(difference > 0.0)),
                    };
                }
            }
        }
        let concordance = survival["concordance"].as_f64().unwrap();
        assert!((concordance - concordant / pairs).abs() < 1e-12, "{more:?}");
        // The baseline of each stratum, and ℓ.
        let mut log_likelihood = 0.0;
        let mut last = (0, 0.0);
        for step in survival["baseline"].as_array().unwrap() {
            let number = |name: &str| step[name].as_f64().unwrap();
            let stratum = step["stratum"].as_u64().unwrap();
            let before = if stratum == last.0 { last.1 } else { 0.0 };
            let site = ["east", "north", "west"][stratum as usize - 1];
            let of_stratum = |row: &&Row| !has_strata || row.site == site;
            let time = number("time");
            let at_risk =
                |row: &&Row| of_stratum(row) && row.days >= time && (!has_entry || row.from < time);
            let here: Vec<&Row> = (rows.iter().filter(at_risk))
                .filter(|row| row.days == time && row.status == 1)
                .collect();
            let all: f64 = rows.iter().filter(at_risk).map(|row| eta(row).exp()).sum();
            let own: f64 = here.iter().map(|row| eta(row).exp()).sum();
            assert_eq!(
                number("at_risk"),
                rows.iter().filter(at_risk).count() as f64
            );
            assert_eq!(number("events"), here.len() as f64);
            let mut hazard = before;
            log_likelihood += here.iter().map(|row| eta(row)).sum::<f64>();
            for l in 0..here.len() {
                let share = match has_strata {
                    true => 0.0,
                    false => l as f64 / here.len() as f64,
                };
                hazard += 1.0 / (all - share * own);
                log_likelihood -= (all - share * own).ln();
            }
            let told = number("cumulative_hazard");
            assert!(
                (told - hazard).abs() < 1e-9 * hazard,
                "{more:?} {time}: {told} {hazard}"
            );
            last = (stratum, told);
        }
        let told = report["log_likelihood"].as_f64().unwrap();
        assert!(
            (told - log_likelihood).abs() < 1e-9 * told.abs(),
            "{told} {log_likelihood}"
        );
        let test = &survival["likelihood_ratio"];
        let null = survival["null_log_likelihood"].as_f64().unwrap();
        let square = test["chi_squared"].as_f64().unwrap();
        assert!((square - 2.0 * (told - null)).abs() < 1e-9);
        // By BIC n is the number of events.
        let k = report["selected"].as_array().unwrap().len() as f64;
        let bic = select(
            &folder,
            drop,
            &[&["--event", "status", "--criterion", "bic"], more].concat(),
        );
        if bic["selected"] == report["selected"] {
            let expected = -2.0 * told + k * (events as f64).ln();
            assert!((bic["criterion"]["value"].as_f64().unwrap() - expected).abs() < 1e-8);
        }
    }
}

#[test]
fn events_are_levels_and_formulas_jobs_and_stability_know_them() {
    let folder = folder();
    let plain = select(&folder, "coded,from,site", &["--event", "status"]);
    let text = select(&folder, "status,from,site", &["--event", "coded"]);
    assert_eq!(text["selected"], plain["selected"]);
    assert_eq!(text["family"]["event"], "event");
    let turned = select(
        &folder,
        "status,from,site",
        &["--event", "coded", "--success", "censored"],
    );
    assert_eq!(turned["family"]["survival"]["events"], 25);
    let formula = select(
        &folder,
        "coded,from",
        &[
            "--event",
            "status",
            "--formula",
            "~ age * dose + noise",
            "--strata",
            "site",
        ],
    );
    assert_eq!(formula["family"]["survival"]["strata_count"], 3);
    assert_eq!(formula["certified"], "global");
    folder.write(
        "jobs.toml",
        "[[job]]\nname = 'a'\ndata = 't.csv'\nfamily = 'cox'\ntime = 'days'\nevent = 'status'\ndrop = ['coded', 'from', 'site']\n",
    );
    let ran = folder.run(&["run", "jobs.toml", "--output", "out"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let own: Value = serde_json::from_str(&folder.read("out/a.json")).unwrap();
    assert_eq!(own["result"]["selected"], plain["selected"]);
    for words in [
        "stability t.csv --response days --resamples 10",
        "select t.csv --time days --format html --output page.html",
    ] {
        let own = "--family cox --event status --drop coded,from,site";
        let arguments: Vec<&str> = words.split(' ').chain(own.split(' ')).collect();
        let ran = folder.run(&arguments);
        assert_eq!(ran.code, Some(0), "{words}: {}", ran.stderr);
    }
    assert!(folder.read("page.html").contains("hazard ratio"));
}

/// A level of which nobody was ever at risk says nothing: it has no coefficient and no degree of freedom.
#[test]
fn levels_never_at_risk_have_no_degree_of_freedom() {
    let folder = Folder::new();
    let mut text = String::from("days,status,group,age,other\n");
    for (at, row) in rows().iter().enumerate() {
        let Row {
            days, status, age, ..
        } = row;
        text += &format!("{days},{status},{},{age},{at}\n", ["a", "b"][at % 2]);
    }
    let group = |text: &str| {
        folder.write("t.csv", text);
        let report = select(
            &folder,
            "other",
            &["--event", "status", "--keep", "group,age"],
        );
        let warned = report.to_string().contains("group=early says nothing");
        let listed = ["terms", "selected"].map(|name| report[name].as_array().cloned());
        let own = listed.into_iter().flatten().flatten();
        let own: Vec<Value> = own
            .filter(|own| own["name"].as_str().unwrap().starts_with("group"))
            .collect();
        (warned, own)
    };
    let (warned, with) = group(&(text.clone() + "0.5,0,early,3,7\n"));
    assert!(warned);
    let (term, early) = (&with[0], &with[2]);
    assert_eq!(
        (&term["df"], &early["name"]),
        (&1.into(), &"group=early".into())
    );
    assert_eq!(
        (&early["coefficient"], &early["p_value"]),
        (&0.0.into(), &Value::Null)
    );
    let (warned, without) = group(&text);
    assert!(!warned);
    let near = |with: &Value, without: &Value, field: &str| {
        let (with, without) = (
            with[field].as_f64().unwrap(),
            without[field].as_f64().unwrap(),
        );
        assert!(
            (with - without).abs() < 1e-7 * (1.0 + without.abs()),
            "{field} {with} {without}"
        );
    };
    // The tests of what there is are those without the row.
    near(&with[1], without.last().unwrap(), "coefficient");
    near(&with[1], without.last().unwrap(), "p_value");
}

#[test]
fn mistakes_have_one_message_each() {
    let folder = folder();
    folder.write(
        "bad.csv",
        "t,d,e,x\n5,1,1,2\n4,2,0,3\n-3,1,0,4\n6,0,7,5\n2,1,0,1\n",
    );
    for (arguments, parts) in [
        (
            &["t.csv", "--family", "cox", "--time", "days"][..],
            &["needs the column of events", "event"][..],
        ),
        (
            &["t.csv", "--response", "days", "--event", "status"],
            &["event is of the family cox", "add family = cox"],
        ),
        (
            &["t.csv", "--time", "days"],
            &["time = days is the response of the family cox"],
        ),
        (
            &[
                "t.csv",
                "--family",
                "cox",
                "--time",
                "days",
                "--response",
                "age",
                "--event",
                "status",
            ],
            &["both name the survival times"],
        ),
        (
            &[
                "t.csv", "--family", "cox", "--time", "days", "--event", "nothing",
            ],
            &["--event", "nothing"],
        ),
        (
            &[
                "t.csv", "--family", "cox", "--time", "days", "--event", "site",
            ],
            &["column of events `site`", "east, north, west", "--success"],
        ),
        (
            &[
                "t.csv", "--family", "cox", "--time", "site", "--event", "status",
            ],
            &["site", "east"],
        ),
        (
            &[
                "t.csv", "--family", "cox", "--time", "days", "--event", "status", "--entry", "age",
            ],
            &["row 6", "entry time", "not before"],
        ),
        (
            &[
                "t.csv", "--family", "cox", "--time", "days", "--event", "status",
            ],
            &["coded", "in its events", "--drop"],
        ),
        (
            &[
                "t.csv",
                "--family",
                "cox",
                "--time",
                "days",
                "--event",
                "status",
                "--no-intercept",
            ],
            &["baseline hazard"],
        ),
        (
            &[
                "t.csv",
                "--family",
                "cox",
                "--time",
                "days",
                "--event",
                "status",
                "--intervals",
                "profile",
            ],
            &["intervals = profile", "Wald"],
        ),
        (
            &[
                "t.csv", "--family", "cox", "--time", "days", "--event", "status", "--firth",
            ],
            &["firth"],
        ),
        (
            &["bad.csv", "--family", "cox", "--time", "t", "--event", "e"],
            &["row 3", "time", "-3"],
        ),
        (
            &["bad.csv", "--family", "cox", "--time", "x", "--event", "d"],
            &["d"],
        ),
    ] {
        let ran = folder.run(&[&["select"], arguments].concat());
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.stderr);
        for part in parts {
            assert!(
                ran.stderr.contains(part),
                "{arguments:?}: {part} in {}",
                ran.stderr
            );
        }
    }
}
