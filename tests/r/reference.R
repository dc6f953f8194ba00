# What R says of selections: the best subset of every size by leaps, the best by a criterion, what
# `lm` and `step` make of it. Nothing of passel is in it.
#
#     Rscript tests/r/reference.R REQUESTS.json FOLDER > ANSWERS.json
#
# A request names a CSV file of the folder, the response, a criterion (`aic`, …), and what it likes
# of `weights` (a column), `drop` and `keep` (columns) and `intercept` (false).

suppressPackageStartupMessages({
  library(jsonlite)
  library(leaps)
})

# The columns that a selection may choose: numbers as they are, the levels of a factor but its
# first one as columns `factor=level` of zeros and ones. Without an intercept the first factor keeps
# all its levels, as in a formula of R.
candidates <- function(data, intercept) {
  columns <- lapply(names(data), function(name) {
    x <- data[[name]]
    if (is.numeric(x)) return(setNames(data.frame(x), name))
    levels <- levels(factor(x))
    if (intercept) levels <- levels[-1] else intercept <<- TRUE
    dummies <- lapply(levels, function(level) as.numeric(x == level))
    setNames(data.frame(dummies), paste0(name, "=", levels))
  })
  do.call(cbind, columns)
}

# The criteria from their definitions: n observations, k variables (kept ones included, the intercept
# not), s the residual sum of squares, i one with an intercept, p candidates of which m are kept, full
# the residual mean square of all candidates.
criteria <- list(
  aic = function(n, k, s, ...) n * log(s / n) + 2 * k,
  bic = function(n, k, s, ...) n * log(s / n) + log(n) * k,
  aicc = function(n, k, s, i, ...) {
    estimates <- k + i + 1
    n * log(s / n) + 2 * k + 2 * estimates * (estimates + 1) / (n - estimates - 1)
  },
  cp = function(n, k, s, i, full, ...) s / full - n + 2 * (k + i),
  adjr2 = function(n, k, s, i, ...) n * log(s / (n - k - i)),
  hqc = function(n, k, s, ...) n * log(s / n) + 2 * log(log(n)) * k,
  ebic = function(n, k, s, p, m, ...) n * log(s / n) + log(n) * k + 2 * lchoose(p - m, k - m),
  `ebic-monotone` = function(n, k, s, i, p, m, ...) {
    space <- 2 * lchoose(p - m, min(k - m, (p - m) %/% 2))
    n * log(s / n) + log(n) * m + (log(n) * (k - m) + space) * n / (n - k - i)
  }
)

answer <- function(request) {
  data <- read.csv(request$data, check.names = FALSE, stringsAsFactors = TRUE)
  data <- na.omit(data[setdiff(names(data), unlist(request$drop))])
  intercept <- !isFALSE(request$intercept)
  w <- if (is.null(request$weights)) rep(1, nrow(data)) else data[[request$weights]]
  y <- data[[request$response]]
  x <- candidates(data[setdiff(names(data), c(request$response, request$weights))], intercept)
  factor_of <- sub("=.*", "", names(x))
  kept <- which(names(x) %in% unlist(request$keep) | factor_of %in% unlist(request$keep))
  n <- nrow(data)

  # `lm` on some of the candidates, by their names; with weights only where there are any, so that
  # what depends on them is as R has it without.
  fit <- function(chosen) {
    frame <- cbind(data.frame(`(y)` = y, check.names = FALSE), x)
    right <- c(if (length(chosen)) paste0("`", names(x)[chosen], "`"), if (intercept) "1" else "0")
    formula <- reformulate(right, "`(y)`")
    environment(formula) <- environment()
    if (is.null(request$weights)) lm(formula, frame) else lm(formula, frame, weights = w)
  }

  # The best subset of every size: by leaps, of which only the choice is taken, for its sums are by
  # another arithmetic. It leaves out the subset of the kept variables alone, and writes beyond its
  # arrays without an intercept (3.1, on stackloss); there all subsets are fitted.
  free <- setdiff(seq_along(x), kept)
  if (intercept && length(free) > 1) {
    leaps <- summary(regsubsets(
      x = as.matrix(x), y = y, weights = w, nbest = 1, nvmax = ncol(x),
      force.in = if (length(kept)) kept, method = "exhaustive", really.big = TRUE
    ))
    best <- leaps$which[, -1, drop = FALSE]
    best <- apply(best, 1, function(row) sort(match(colnames(best)[row], names(x))), simplify = FALSE)
    subsets <- c(list(kept), unname(best))
  } else {
    leaps <- NULL
    subsets <- lapply(0:length(free), function(size) {
      all <- combn(length(free), size, function(which) sort(c(kept, free[which])), simplify = FALSE)
      all[[which.min(vapply(all, function(chosen) deviance(fit(chosen)), 0))]]
    })
  }
  subsets <- lapply(subsets, function(chosen) {
    list(names = I(names(x)[chosen]), rss = deviance(fit(chosen)), k = length(chosen))
  })
  full <- sigma(fit(seq_along(x)))^2
  value <- function(s) criteria[[request$criterion]](
    n = n, k = s$k, s = s$rss, i = intercept, p = ncol(x), m = length(kept), full = full
  )
  # passel divides weights by their mean, so that their unit does not matter.
  scaled <- lapply(subsets, function(s) { s$rss <- s$rss / mean(w); s })
  full <- full / mean(w)
  values <- vapply(scaled, value, 0)
  subsets <- Map(function(s, value) { s$value <- value; s }, subsets, values)
  best <- subsets[[which.min(values)]]

  # The weights of all models, where they are few: exp(-value/2) over its sum, and what of it falls to the
  # models that hold a candidate.
  inclusion <- if (length(free) <= 10) {
    design <- cbind(if (intercept) 1, as.matrix(x)) * sqrt(w / mean(w))
    holds <- as.matrix(expand.grid(rep(list(c(FALSE, TRUE)), length(free))))
    values <- apply(holds, 1, function(row) {
      chosen <- sort(c(kept, free[row]))
      columns <- c(if (intercept) 1, chosen + intercept)
      s <- sum(lm.fit(design[, columns, drop = FALSE], y * sqrt(w / mean(w)))$residuals^2)
      value(list(rss = s, k = length(chosen)))
    })
    weights <- exp(-(values - min(values)) / 2)
    as.list(setNames(colSums(holds * weights) / sum(weights), names(x)[free]))
  }

  model <- fit(match(best$names, names(x)))
  summary <- summary(model)
  interval <- confint(model)
  n_parameters <- length(coef(model))
  list(
    n = n, p = ncol(x), subsets = subsets,
    best = best$names, value = best$value, inclusion = inclusion,
    coefficients = I(unname(coef(model))),
    std_error = I(unname(summary$coefficients[, 2])),
    t = I(unname(summary$coefficients[, 3])),
    p_value = I(unname(summary$coefficients[, 4])),
    lower = I(unname(interval[, 1])), upper = I(unname(interval[, 2])),
    deviance = deviance(model), df_residual = df.residual(model), sigma = summary$sigma,
    r_squared = summary$r.squared, adjusted_r_squared = summary$adj.r.squared,
    f_statistic = if (is.null(summary$fstatistic)) NULL else I(unname(summary$fstatistic)),
    log_likelihood = as.numeric(logLik(model)), covariance = unname(vcov(model)),
    extract_aic = extractAIC(model)[2], extract_bic = extractAIC(model, k = log(n))[2],
    aic = AIC(model), bic = BIC(model),
    aicc = AIC(model) + 2 * (n_parameters + 1) * (n_parameters + 2) / (n - n_parameters - 2),
    # Of known variance: Mallows' Cp.
    extract_cp = extractAIC(model, scale = full * mean(w))[2],
    # What leaps prints of the best subset, unless it is that of the kept variables alone.
    leaps = if (!is.null(leaps) && best$k > length(kept)) {
      lapply(leaps[c("bic", "cp", "adjr2")], function(values) values[best$k - length(kept)])
    },
    # For the offsets.
    mean_log_weight = mean(log(w)), log_mean_weight = log(mean(w)),
    # What is left of a criterion by extractAIC after stepwise selection of whole factors, from all
    # variables and from none, in both directions.
    step = if (intercept && request$criterion %in% c("aic", "bic")) {
      k <- if (request$criterion == "aic") 2 else log(n)
      frame <- data[setdiff(names(data), request$weights)]
      of <- function(names) {
        right <- c("1", if (length(names)) paste0("`", names, "`"))
        reformulate(right, as.name(request$response))
      }
      scope <- list(lower = of(unlist(request$keep)), upper = of(setdiff(names(frame), request$response)))
      from <- function(formula) {
        weights <- if (!is.null(request$weights)) list(weights = w)
        start <- do.call(lm, c(list(formula, frame), weights))
        extractAIC(step(start, scope = scope, k = k, trace = 0), k = k)[2]
      }
      I(c(from(scope$upper), from(scope$lower)))
    }
  )
}

arguments <- commandArgs(trailingOnly = TRUE)
requests <- fromJSON(arguments[1], simplifyVector = FALSE)
setwd(arguments[2])
cat(toJSON(lapply(requests, answer), digits = NA, auto_unbox = TRUE, null = "null", pretty = length(arguments) > 2))
