//! What the help of each command ends with.

pub(super) const EXAMPLE: &str = "\
Example:
  passel select houses.csv --response price --criterion hdbic \\
      --keep area --format json --output houses.json

  Selects, from all other columns of houses.csv, those that explain price
  best; area is in every model. The same command gives the same selection.

Exit codes: 0 success; 1 the work failed; 2 wrong arguments, job file or data;
130 interrupted, with the best so far reported (a second Ctrl-C ends at once).";

pub(super) const PAIRS_EXAMPLE: &str = "\
Example:
  passel pairs genes.csv --response disease --score synergy --top 20

  Reports I(x;y) for every variable x, and the 20 pairs that together say most
  about the response beyond what each of their variables says alone.";

pub(super) const RUN_EXAMPLE: &str = "\
Example, jobs.toml:
  [defaults]
  response = \"price\"

  [[job]]
  data = \"houses-*.csv\"
  criterion = [\"ebic\", \"hdbic\"]
  seed = { from = 1, count = 100 }

  passel run jobs.toml --list
  passel run jobs.toml

  Makes 200 jobs for each data file. Each result is a file in jobs-results/,
  with the tables jobs.csv and results.csv of all. If the run is interrupted,
  run it again: finished jobs are not repeated. A job that fails does not stop
  the others, but the exit code is then 1. See docs/jobs.md.";

pub(super) const STATUS_EXAMPLE: &str = "\
Example:
  passel status jobs-results
  watch -n 10 passel status jobs.toml

  Reads the folder and changes nothing in it, so it may be asked at any time,
  also after the run has ended or was killed, and on another machine that shares
  the folder. The exit code is 0 however the run stands.";

pub(super) const PREDICT_EXAMPLE: &str = "\
Example:
  passel select houses.csv --response price --format json --output houses.json
  passel predict houses.json offers.csv --interval both --output prices.csv

  Predicts a price for each row of offers.csv, which has the columns of the
  model, with intervals of the mean and of one house. See docs/prediction.md.";

pub(super) const STABILITY_EXAMPLE: &str = "\
Example:
  passel stability genes.csv --response disease --method jmi --top 20 \\
      --resamples 100 --false-picks 1

  Runs jmi on both halves of 100 random splits of the rows, and selects the
  variables chosen so often that at most one false pick is to be expected.";

pub(super) const VALIDATE_EXAMPLE: &str = "\
Example:
  passel validate houses.csv --response price --criterion bic,ebic-monotone \\
      --scheme folds:k=10,repeats=5

  Selects a model in each of 50 splits of the rows and judges it on the rows it
  did not see, beside the model of the mean and that of all variables, for both
  criteria. See docs/validation.md.";
