# Writes lm.json: what R's lm says of a few models of mtcars and swiss, with the data.
#
#   Rscript tests/golden/lm.R >tests/golden/lm.json

numbers <- function(x) sprintf("[%s]", paste(sprintf("%.17g", x), collapse = ", "))
texts <- function(x) sprintf("[%s]", paste(sprintf('"%s"', x), collapse = ", "))
member <- function(name, value) sprintf('    "%s": %s', name, value)

model <- function(data, response, variables, weights = NULL, intercept = TRUE) {
  right <- paste(c(if (!intercept) "0", variables), collapse = " + ")
  formula <- as.formula(paste(response, "~", right))
  data$own <- if (is.null(weights)) rep(1, nrow(data)) else weights
  fit <- lm(formula, data, weights = own)
  told <- summary(fit)
  f <- told$fstatistic
  used <- data$own > 0
  correlation <- cov.wt(as.matrix(data[used, variables]), data$own[used] / sum(data$own), cor = TRUE)$cor
  columns <- lapply(c(response, variables), function(name) member(name, numbers(data[[name]])))
  # Observations of weight 0 may have an entry or none.
  of_used <- function(x) if (length(x) == sum(used)) x else x[used]
  covariance <- vcov(fit)
  members <- c(
    member("response", sprintf('"%s"', response)),
    member("variables", texts(variables)),
    member("intercept", tolower(intercept)),
    member("weights", if (is.null(weights)) "null" else numbers(weights)),
    member("data", sprintf("{\n  %s\n    }", paste(columns, collapse = ",\n  "))),
    member("r_squared", sprintf("%.17g", told$r.squared)),
    member("adjusted_r_squared", sprintf("%.17g", told$adj.r.squared)),
    member("sigma", sprintf("%.17g", told$sigma)),
    member("df_residual", fit$df.residual),
    member("log_likelihood", sprintf("%.17g", as.numeric(logLik(fit)))),
    member("aic", sprintf("%.17g", AIC(fit))),
    member("f", numbers(f)),
    member("f_p_value", sprintf("%.17g", pf(f[1], f[2], f[3], lower.tail = FALSE))),
    member("covariance", sprintf("[%s]", paste(apply(covariance, 1, numbers), collapse = ", "))),
    member("vif", if (intercept) numbers(diag(solve(correlation))) else "null"),
    member("leverage", numbers(of_used(hatvalues(fit)))),
    member("cooks_distance", numbers(of_used(cooks.distance(fit))))
  )
  sprintf("  {\n%s\n  }", paste(members, collapse = ",\n"))
}

measured <- c("wt", "hp", "qsec")
cat(sprintf("[\n%s\n]\n", paste(
  model(mtcars, "mpg", measured),
  # Observations of weight 0 are none.
  model(mtcars, "mpg", measured, weights = mtcars$cyl - 4),
  model(swiss, "Fertility", setdiff(names(swiss), "Fertility")),
  model(swiss, "Fertility", c("Agriculture", "Education"), intercept = FALSE),
  sep = ",\n"
)))
