# Sets of MASS and carData, and what R says of formulas over them: where `step` ends, which keeps to marginality,
# and the fit and the tests of a model. Nothing of passel is in it.
#
#     Rscript tests/r/terms.R FOLDER                            writes the sets as CSV
#     Rscript tests/r/terms.R FOLDER REQUESTS.json > ANSWERS.json
#
# A request names a CSV file, a formula, a criterion (`aic` or `bic`) and the terms of a model.

suppressPackageStartupMessages({
  library(MASS)
  library(carData)
  library(jsonlite)
})
# Levels in bytewise order.
invisible(Sys.setlocale("LC_COLLATE", "C"))

sets <- list(
  quine = quine, whiteside = whiteside, cats = cats, cabbages = cabbages, oats = oats,
  birthwt = transform(birthwt, race = c("white", "black", "other")[race]),
  Moore = Moore, Prestige = Prestige, Salaries = Salaries, Duncan = Duncan,
  Ornstein = Ornstein, SLID = SLID
)

answer <- function(request) {
  formula <- as.formula(request$formula)
  data <- read.csv(request$data, check.names = FALSE, stringsAsFactors = TRUE)
  data <- na.omit(data[all.vars(terms(formula, data = data))])
  k <- if (request$criterion == "aic") 2 else log(nrow(data))
  of <- function(names) {
    right <- if (length(names)) paste(names, collapse = " + ") else "1"
    as.formula(paste(deparse(formula[[2]]), "~", right))
  }
  fit <- function(names) do.call(lm, list(of(names), data))
  full <- fit(attr(terms(formula, data = data), "term.labels"))
  ended <- lapply(list(full, fit(NULL)), function(start) {
    step(start, scope = list(lower = of(NULL), upper = formula(full)), k = k, trace = 0)
  })

  chosen <- unlist(request$terms)
  model <- fit(chosen)
  estimates <- coef(summary(model))
  # The sums of squares of type II: each term beside all that do not hold it.
  variables <- function(name) sort(rownames(attr(terms(of(name)), "factors"))[attr(terms(of(name)), "factors")[, 1] > 0])
  # A power stands on the lower ones.
  powers <- function(name) paste0("I(", name, "^", 2:9, ")")
  holds <- function(other, name) all(variables(name) %in% variables(other)) || other %in% powers(name)
  tests <- lapply(chosen, function(name) {
    beside <- Filter(function(other) !holds(other, name), chosen)
    with <- fit(c(beside, name))
    without <- fit(beside)
    df <- with$rank - without$rank
    ss <- deviance(without) - deviance(with)
    f <- ss / df / (deviance(model) / model$df.residual)
    list(name = name, df = df, sum_of_squares = ss, f = f, p_value = pf(f, df, model$df.residual, lower.tail = FALSE))
  })
  list(
    n = nrow(data), step = vapply(ended, function(end) extractAIC(end, k = k)[2], 0),
    value = extractAIC(model, k = k)[2], k = k, deviance = deviance(model), df_residual = model$df.residual,
    names = I(rownames(estimates)), coefficients = I(unname(estimates[, 1])), std_error = I(unname(estimates[, 2])),
    tests = tests
  )
}

arguments <- commandArgs(trailingOnly = TRUE)
setwd(arguments[1])
if (length(arguments) == 1) {
  for (name in names(sets)) write.csv(sets[[name]], paste0(name, ".csv"), row.names = FALSE)
} else {
  requests <- fromJSON(arguments[2], simplifyVector = FALSE)
  cat(toJSON(lapply(requests, answer), digits = NA, auto_unbox = TRUE, null = "null"))
}
