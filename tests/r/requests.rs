//! What is asked of passel and of R alike.

use serde_json::{Value, json};

use crate::support::Folder;

#[derive(Clone, Copy)]
pub struct Request {
    pub data: &'static str,
    pub response: &'static str,
    pub criterion: &'static str,
    pub weighted: bool,
    pub keep: &'static [&'static str],
    pub intercept: bool,
    /// Weights, where the file has a column of them.
    weights: Option<&'static str>,
}

impl Request {
    const fn new(
        data: &'static str,
        response: &'static str,
        weights: Option<&'static str>,
    ) -> Self {
        Self {
            data,
            response,
            criterion: "",
            weighted: false,
            keep: &[],
            intercept: true,
            weights,
        }
    }

    fn weights(&self) -> Option<&'static str> {
        self.weights.filter(|_| self.weighted)
    }

    /// A column of weights is no candidate.
    fn drop(&self) -> Option<&'static str> {
        self.weights.filter(|_| !self.weighted)
    }

    /// The request as `reference.R` reads it.
    pub fn json(&self) -> Value {
        json!({
            "data": self.data,
            "response": self.response,
            "criterion": self.criterion,
            "weights": self.weights(),
            "drop": self.drop().into_iter().collect::<Vec<_>>(),
            "keep": self.keep,
            "intercept": self.intercept,
        })
    }

    /// The arguments for the program.
    fn arguments(&self) -> Vec<String> {
        let mut arguments = vec!["select", self.data, "--response", self.response];
        arguments.extend(["--criterion", self.criterion, "--missing", "drop-rows"]);
        // `leaps` knows columns alone.
        arguments.extend(["--split", "--format", "json"]);
        for (option, value) in [("--weights", self.weights()), ("--drop", self.drop())] {
            arguments.extend(value.iter().flat_map(|value| [option, value]));
        }
        if !self.intercept {
            arguments.push("--no-intercept");
        }
        let keep = self.keep.join(",");
        if !keep.is_empty() {
            arguments.extend(["--keep", &keep]);
        }
        arguments.into_iter().map(str::to_owned).collect()
    }

    /// What passel selects, as JSON.
    pub fn select(&self, folder: &Folder) -> Value {
        let arguments = self.arguments();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = folder.run(&arguments);
        assert_eq!(ran.code, Some(0), "{}: {}", arguments.join(" "), ran.stderr);
        serde_json::from_str(&ran.stdout).unwrap()
    }

    /// The request in words, for messages.
    pub fn words(&self) -> String {
        self.arguments().join(" ")
    }
}

/// Every criterion, with weights and without, with and without an intercept and kept variables.
fn variants(plain: Request, keep: &'static [&'static str]) -> Vec<Request> {
    let by = |criterion| Request { criterion, ..plain };
    vec![
        by("aic"),
        by("bic"),
        by("aicc"),
        by("cp"),
        by("adjr2"),
        by("hqc"),
        by("ebic"),
        by("ebic-monotone"),
        Request {
            weighted: true,
            ..by("aic")
        },
        Request {
            weighted: true,
            ..by("bic")
        },
        Request {
            intercept: false,
            ..by("aic")
        },
        Request {
            intercept: false,
            ..by("bic")
        },
        Request { keep, ..by("aic") },
        Request { keep, ..by("aicc") },
        Request { keep, ..by("ebic") },
        Request {
            weighted: true,
            ..by("cp")
        },
        Request {
            intercept: false,
            ..by("cp")
        },
        Request {
            intercept: false,
            ..by("adjr2")
        },
        Request {
            keep,
            weighted: true,
            ..by("bic")
        },
    ]
}

/// R's own sets, which `sets.R` writes.
pub fn of_sets() -> Vec<Request> {
    let sets: &[(&str, &str, &[&str])] = &[
        ("mtcars.csv", "mpg", &["wt"]),
        ("swiss.csv", "Fertility", &["Education", "Catholic"]),
        // 42 of 153 rows have missing values.
        ("airquality.csv", "Ozone", &["Wind"]),
        // The least well conditioned.
        ("longley.csv", "Employed", &["Year"]),
        ("stackloss.csv", "stack.loss", &["Air.Flow"]),
        ("attitude.csv", "rating", &["raises"]),
        ("LifeCycleSavings.csv", "sr", &["ddpi"]),
        ("rock.csv", "perm", &["area"]),
        // Names with spaces.
        ("state.csv", "Life Exp", &["HS Grad"]),
        ("quakes.csv", "mag", &["depth"]),
        ("trees.csv", "Volume", &["Height"]),
        // Factors.
        ("iris.csv", "Sepal.Length", &["Species"]),
        ("warpbreaks.csv", "breaks", &["wool"]),
        ("ToothGrowth.csv", "len", &["dose"]),
    ];
    let request = |&(data, response, keep)| variants(Request::new(data, response, Some("w")), keep);
    let mut requests: Vec<Request> = sets.iter().flat_map(request).collect();
    // Twenty nearly collinear candidates.
    let quadratic = Request::new("swiss_quadratic.csv", "Fertility", None);
    requests.extend(["aic", "bic", "ebic-monotone"].map(|criterion| Request {
        criterion,
        ..quadratic
    }));
    requests
}

/// The data that ship; ages serve as weights.
pub fn of_diabetes() -> Vec<Request> {
    let plain = Request::new("diabetes.csv", "y", Some("age"));
    variants(plain, &["sex", "bmi"])
}
