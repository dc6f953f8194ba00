# Fits of glm() and glm.nb(): Rscript families.R FOLDER writes the data there and prints the answers as JSON.
suppressMessages({library(MASS); library(jsonlite)})
invisible(Sys.setlocale("LC_COLLATE", "C"))
options(contrasts = c("contr.treatment", "contr.treatment"), digits = 15)
folder <- commandArgs(TRUE)[1]
control <- glm.control(epsilon = 1e-14, maxit = 200)
answers <- list()
answer <- function(name, data, formula, family, link, model, events = NULL, weights = NULL, offset = NULL) {
  write.csv(data, file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
  own <- coef(summary(model))
  mu <- fitted(model); y <- model$y; phi <- summary(model)$dispersion; prior <- model$prior.weights
  p <- function(y) switch(family,
    "binomial" = if (is.null(events)) pbinom(y, 1, mu) else pbinom(y, data[[events]], mu),
    "poisson" = ppois(y, mu), "negative-binomial" = pnbinom(y, model$theta, mu = mu),
    "gamma" = pgamma(y, prior / phi, scale = mu * phi / prior))
  counts <- if (is.null(events)) y else y * data[[events]]
  # The ends by the definition of a profile; glm.nb holds no coefficient.
  ends <- if (family != "negative-binomial") sapply(rownames(own), function(name) {
    x <- model.matrix(model)
    at <- match(name, colnames(x))
    given <- if (is.null(model$offset)) 0 else model$offset
    dispersion <- if (family == "gamma") summary(model)$dispersion else 1
    quantile <- if (family == "gamma") qf(0.95, 1, model$df.residual) else qchisq(0.95, 1)
    rise <- function(b) {
      held <- glm.fit(x[, -at, drop = FALSE], model$y, model$prior.weights, offset = given + b * x[, at],
                      family = model$family, control = control, mustart = fitted(model))
      (deviance(held) - deviance(model)) / dispersion - quantile
    }
    sapply(c(-1, 1), function(sign) uniroot(rise, own[name, 1] + sign * own[name, 2] * c(0.5, 3), tol = 1e-12)$root)
  })
  answers[[length(answers) + 1]] <<- list(
    name = name, formula = formula, family = family, link = link, events = events, weights = weights, offset = offset,
    estimates = setNames(as.list(own[, 1]), rownames(own)), std_errors = setNames(as.list(own[, 2]), rownames(own)),
    quantile = qf(0.95, 1, model$df.residual), lower = as.list(ends[1, ]), upper = as.list(ends[2, ]),
    deviance = deviance(model), m2ll = -2 * as.numeric(logLik(model)), theta = model$theta, dispersion = phi,
    residuals = unname(residuals(model, "deviance")), pearson = unname(residuals(model, "pearson")),
    leverages = unname(hatvalues(model)),
    # Of quantile residuals.
    least = unname(qnorm(p(round(counts) - 1))), most = unname(qnorm(p(counts))))
}

quine <- within(quine, Age <- as.character(Age))
formula <- "Days ~ Eth + Sex + Age + Lrn"
answer("quine", quine, formula, "negative-binomial", "log", glm.nb(as.formula(formula), quine, control = control))
births <- within(birthwt, { race <- c("white", "black", "other")[race]; w <- 1 + seq_along(low) %% 3 })
formula <- "low ~ age + lwt + race + smoke"
for (link in c("cloglog", "logit")) {
  model <- glm(as.formula(formula), binomial(link), births, weights = w, control = control)
  answer(paste0("births_", link), births, formula, "binomial", link, model, weights = "w")
}
air <- within(na.omit(airquality), w <- 0.5 + Day %% 4)
formula <- "Ozone ~ Wind + Temp"
for (link in c("inverse", "log")) {
  model <- glm(as.formula(formula), Gamma(link), air, weights = w, control = control)
  answer(paste0("air_", link), air, formula, "gamma", link, model, weights = "w")
}
claims <- within(Insurance, { District <- paste0("d", District); logh <- log(Holders); w <- 1 + seq_along(Claims) %% 2 })
claims <- claims[c("District", "Claims", "logh", "w")]
model <- glm(Claims ~ District + offset(logh), poisson(), claims, weights = w, control = control)
answer("claims", claims, "Claims ~ District", "poisson", "log", model, weights = "w", offset = "logh")
cases <- data.frame(age = as.character(esoph$agegp), cases = esoph$ncases, trials = esoph$ncases + esoph$ncontrols)
cases$age <- gsub("[^0-9]", "_", cases$age)
cases <- cases[cases$age != "25_34", ]
model <- glm(cbind(cases, trials - cases) ~ age, binomial("probit"), cases, control = control)
answer("cases", cases, "cases ~ age", "binomial", "probit", model, events = "trials")
cat(toJSON(answers, auto_unbox = TRUE, digits = NA, null = "null"))
