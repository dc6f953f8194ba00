# Sets of MASS and carData, and what R says of formulas over them: where `step` ends, which keeps to marginality,
# and the fit and the tests of a model. Nothing of passel is in it.
#
#     Rscript tests/r/terms.R FOLDER                            writes the sets as CSV
#     Rscript tests/r/terms.R FOLDER REQUESTS.json > ANSWERS.json
#
# A request names a CSV file, a formula, a criterion (`aic` or `bic`) and the terms of a model. One without a
# criterion asks for the best models of all that hold, with an interaction, what it is made of.

suppressPackageStartupMessages({
  library(MASS)
  library(carData)
  library(jsonlite)
})
# Levels in bytewise order.
invisible(Sys.setlocale("LC_COLLATE", "C"))

sets <- list(
  quine = quine, whiteside = whiteside, cats = cats, cabbages = cabbages, oats = oats,
  Boston = Boston[c(1:10, 14)],
  birthwt = transform(birthwt, race = c("white", "black", "other")[race]),
  Moore = Moore, Prestige = Prestige, Salaries = Salaries, Duncan = Duncan,
  Ornstein = Ornstein, SLID = SLID
)

answer <- function(request) {
  formula <- as.formula(request$formula)
  data <- read.csv(request$data, check.names = FALSE, stringsAsFactors = TRUE)
  columns <- names(data)
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
  # The mean prediction if every observation had a level; not of combinations that no observation has.
  means <- if (!anyNA(coef(model))) {
    factors <- Filter(function(name) is.factor(data[[name]]), all.vars(delete.response(terms(model))))
    do.call(c, lapply(intersect(columns, factors), function(name) {
      lapply(levels(droplevels(data[[name]])), function(level) {
        other <- data
        other[[name]] <- factor(level, levels = levels(data[[name]]))
        x <- model.matrix(delete.response(terms(model)), other, xlev = model$xlevels)
        at <- colMeans(x)
        list(factor = name, level = level, mean = sum(at * coef(model)), std_error = sqrt(drop(at %*% vcov(model) %*% at)))
      })
    }))
  }
  list(
    means = means,
    n = nrow(data), step = vapply(ended, function(end) extractAIC(end, k = k)[2], 0),
    value = extractAIC(model, k = k)[2], k = k, deviance = deviance(model), df_residual = model$df.residual,
    names = I(rownames(estimates)), coefficients = I(unname(estimates[, 1])), std_error = I(unname(estimates[, 2])),
    tests = tests
  )
}

# The five best of all hierarchical models, by each criterion.
best <- function(request) {
  formula <- as.formula(request$formula)
  data <- read.csv(request$data, check.names = FALSE, stringsAsFactors = TRUE)
  all <- terms(formula, data = data)
  labels <- attr(all, "term.labels")
  factors <- attr(all, "factors") > 0
  parents <- lapply(seq_along(labels), function(term) {
    Filter(function(other) other != term && all(factors[, term] | !factors[, other]), seq_along(labels))
  })
  x <- model.matrix(all, data)
  y <- model.response(model.frame(all, data))
  n <- length(y)
  models <- list()
  for (number in 0:(2^length(labels) - 1)) {
    chosen <- which(bitwAnd(number, 2^(seq_along(labels) - 1)) > 0)
    if (!all(unlist(parents[chosen]) %in% chosen)) next
    fit <- lm.fit(x[, attr(x, "assign") %in% c(0, chosen), drop = FALSE], y)
    models[[length(models) + 1]] <- list(
      terms = I(labels[chosen]), size = length(chosen), parameters = fit$rank - 1, rss = sum(fit$residuals^2)
    )
  }
  value <- function(model, criterion) n * log(model$rss / n) + switch(criterion,
    aic = 2 * model$parameters,
    bic = log(n) * model$parameters,
    ebic = log(n) * model$parameters + 2 * lchoose(length(labels), model$size)
  )
  by <- lapply(c(aic = "aic", bic = "bic", ebic = "ebic"), function(criterion) {
    values <- vapply(models, value, 0, criterion)
    lapply(order(values)[1:5], function(at) list(terms = models[[at]]$terms, value = values[at]))
  })
  c(by, count = length(models))
}

arguments <- commandArgs(trailingOnly = TRUE)
setwd(arguments[1])
if (length(arguments) == 1) {
  for (name in names(sets)) write.csv(sets[[name]], paste0(name, ".csv"), row.names = FALSE)
} else {
  requests <- fromJSON(arguments[2], simplifyVector = FALSE)
  reply <- function(request) if (is.null(request$criterion)) best(request) else answer(request)
  cat(toJSON(lapply(requests, reply), digits = NA, auto_unbox = TRUE, null = "null"))
}
