//! Published selectors that need more than sums of terms, against their definitions in Python.

use std::{collections::BTreeMap, env, io::ErrorKind, path::Path, process::Command};

use super::{
    problems::Random,
    program::{assert_near, csv, made, select},
    support::Folder,
};

/// The choices by brute force; none without Python.
fn by_python(data: &Path, count: usize) -> Option<BTreeMap<String, Vec<(usize, f64)>>> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/selectors/published.py");
    let run = Command::new("python3")
        .arg(script)
        .arg(data)
        .arg(count.to_string())
        .output();
    let run = match run {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            assert!(env::var_os("PASSEL_REQUIRE_PYTHON").is_none(), "no python3");
            eprintln!("skipped: there is no python3");
            return None;
        }
        run => run.unwrap(),
    };
    let told = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{told}");
    Some(serde_json::from_slice(&run.stdout).unwrap())
}

#[test]
fn eight_published_selectors_choose_what_their_papers_say() {
    let folder = Folder::new();
    let mut random = Random::new(17);
    for (n, p, levels, classes) in [(90, 9, 3, 2), (160, 12, 5, 3), (400, 7, 4, 4)] {
        let set = made(&mut random, n, p, levels, classes);
        folder.write("set.csv", &csv(&set, p));
        let data = folder.path("set.csv");
        let Some(expected) = by_python(&data, 6) else {
            return;
        };
        assert_eq!(expected.len(), 8);
        for (method, picks) in expected {
            for more in [&[][..], &["--threads", "3"]] {
                let more = [&["--response", "y"][..], more].concat();
                let found = select(&data, &method, 6, &more);
                let order: Vec<usize> = picks.iter().map(|pick| pick.0).collect();
                assert_eq!(found.order(), order, "{method}");
                for (found, (_, score)) in found.picks.iter().zip(&picks) {
                    assert_near(found.score, *score, &method);
                }
            }
        }
    }
}
