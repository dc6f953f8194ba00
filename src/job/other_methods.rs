//! Methods that users of other programs ask for, and what passel has in their place.

use passel_criteria::ALL;

const SHRINKAGE: &str = "it shrinks coefficients, while passel chooses subsets: `pass` finds the best \
                         by a criterion, and `passel stability` those that resamples agree on";
const STEPWISE: &str = "`pass` takes forward and backward steps from many starts, and ends at a model \
                        that no single step improves";
const EXHAUSTIVE: &str =
    "`pass` looks for the same model, the best by a criterion among all subsets";
const TREES: &str =
    "selectors such as `jmi` and `mrmr` rank variables whose effects need not be linear";
const TESTS: &str = "`mim` ranks each variable by itself, by its information about the response";
const COMPONENTS: &str =
    "it makes new variables of all, while passel chooses among them: with `pass`, say";
const FAMILIES: &str = "it is a kind of response, not a method: `pass` with --family binomial, poisson, \
                        negative-binomial, gamma, cox, ordinal or multinomial";
const LINEAR: &str = "`pass` chooses the variables of a linear regression; to have one in every model, \
                      name it in --keep";

/// Names in lower case without hyphens, and what there is instead.
const OTHERS: &[(&[&str], &str)] = &[
    (
        &[
            "lasso",
            "glmnet",
            "cvglmnet",
            "elasticnet",
            "enet",
            "ridge",
            "lars",
            "lar",
            "scad",
            "mcp",
            "ncvreg",
            "grouplasso",
            "adaptivelasso",
            "dantzig",
            "l1",
            "horseshoe",
            "spikeslab",
        ],
        SHRINKAGE,
    ),
    (
        &[
            "stepwise",
            "step",
            "stepaic",
            "forward",
            "backward",
            "both",
            "glmselect",
            "sfs",
            "sbs",
        ],
        STEPWISE,
    ),
    (
        &[
            "leaps",
            "regsubsets",
            "bestsubset",
            "bestsubsets",
            "subset",
            "subsets",
            "exhaustive",
            "bestglm",
            "allsubsets",
            "bruteforce",
            "l0learn",
            "abess",
        ],
        EXHAUSTIVE,
    ),
    (
        &[
            "randomforest",
            "rf",
            "ranger",
            "boruta",
            "vsurf",
            "xgboost",
            "gbm",
            "lightgbm",
            "tree",
            "cart",
            "rfe",
            "shap",
            "knockoff",
            "knockoffs",
        ],
        TREES,
    ),
    (
        &[
            "anova",
            "ftest",
            "ttest",
            "chisq",
            "chisquare",
            "correlation",
            "pearson",
            "spearman",
            "univariate",
            "selectkbest",
            "mi",
            "mutualinfo",
            "infogain",
        ],
        TESTS,
    ),
    (&["pca", "pls", "pcr", "plsr", "svd", "umap"], COMPONENTS),
    (
        &[
            "logistic",
            "logit",
            "probit",
            "binomial",
            "glm",
            "poisson",
            "negativebinomial",
            "gamma",
            "cox",
            "coxph",
            "survival",
            "ordinal",
            "polr",
            "clm",
            "multinom",
            "multinomial",
        ],
        FAMILIES,
    ),
    (&["lm", "ols", "linear", "regression", "reg"], LINEAR),
];

/// What passel has instead of a method, or that it is no method but a criterion.
pub(super) fn instead_of(name: &str) -> Option<String> {
    let asked: String = name
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    if ALL.iter().any(|criterion| criterion.name == asked) {
        return Some(format!(
            "it is a criterion: --method pass --criterion {asked}"
        ));
    }
    let mut others = OTHERS.iter();
    let (_, instead) = others.find(|(names, _)| names.contains(&asked.as_str()))?;
    Some((*instead).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_method_are_one() {
        for name in ["elastic-net", "Elastic_Net", "elasticnet"] {
            assert_eq!(instead_of(name).as_deref(), Some(SHRINKAGE), "{name}");
        }
        assert!(instead_of("bic").unwrap().contains("--criterion bic"));
        assert_eq!(instead_of("jmo"), None);
    }
}
