# What lm(), glm(), glm.nb(), polr(), multinom() and coxph() predict of new data: Rscript prediction.R FOLDER writes the data there, those
# of the fit as NAME.csv and the new ones as NAME_new.csv, and prints, for each model, the options of passel and R's predictions as JSON.
suppressMessages({library(MASS); library(nnet); library(survival); library(splines); library(carData); library(jsonlite)})
invisible(Sys.setlocale("LC_COLLATE", "C"))
options(contrasts = c("contr.treatment", "contr.poly"), digits = 15)
folder <- commandArgs(TRUE)[1]
# Of links that are not canonical a deviance that stands still leaves coefficients of half their digits: so many steps are taken.
settled <- function(formula, family, data, weights = NULL) {
  start <- NULL
  for (step in 1:40) {
    arguments <- list(as.formula(formula), family, data, start = start, control = glm.control(epsilon = 1e-300, maxit = 1))
    if (!is.null(weights)) arguments$weights <- data[[weights]]
    model <- suppressWarnings(do.call(glm, arguments))
    start <- coef(model)
  }
  model
}
answers <- list()
write_both <- function(name, data, new) {
  write.csv(data, file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
  write.csv(new, file.path(folder, paste0(name, "_new.csv")), row.names = FALSE, quote = FALSE)
}
answer <- function(name, data, new, options, keep, columns, tolerance = 1e-9, predict = list()) {
  write_both(name, data, new)
  columns <- lapply(columns, function(own) I(unname(own)))
  answers[[length(answers) + 1]] <<- list(name = name, options = I(options), keep = I(keep), predict = I(predict), tolerance = tolerance,
                                          columns = columns)
}

# Least squares: both intervals, at another level than the usual one.
linear <- function(name, formula, data, new, keep, options = c(), formula_option = TRUE, weights = NULL, of_new = 1) {
  arguments <- list(as.formula(formula), data)
  if (!is.null(weights)) arguments$weights <- data[[weights]]
  model <- do.call(lm, arguments)
  mean <- predict(model, new, interval = "confidence", level = 0.9, se.fit = TRUE)
  suppressWarnings(both <- if (is.null(weights)) predict(model, new, interval = "prediction", level = 0.9)
                   else predict(model, new, interval = "prediction", level = 0.9, weights = of_new))
  if (formula_option) options <- c("--formula", formula, options)
  answer(name, data, new, options, keep,
         list(fit = mean$fit[, "fit"], std_error = mean$se.fit, lower = mean$fit[, "lwr"], upper = mean$fit[, "upr"],
              observation_lower = both[, "lwr"], observation_upper = both[, "upr"]),
         predict = c("--interval", "both", "--level", "0.9"))
}
cars <- within(mtcars, { cyl <- paste0("c", cyl); year <- 1e6 + seq_along(mpg) / 16; w <- 1 + seq_along(mpg) %% 3; o <- hp / 50 })
odd <- seq(1, 31, 2)
new <- within(cars[-odd, ], { w <- w + 0.5; wt <- wt + 0.01 })
cars <- cars[c(odd, 2, 4, 6, 8), ]
linear("columns", "mpg ~ wt + hp + cyl + year", cars[c("mpg", "wt", "hp", "cyl", "year")], new, c("wt", "hp", "cyl", "year"),
       c("--response", "mpg"), formula_option = FALSE)
linear("origin", "mpg ~ wt + hp + cyl - 1", cars[c("mpg", "wt", "hp", "cyl")], new, c("wt", "hp", "cyl"), c("--response", "mpg", "--no-intercept"),
       formula_option = FALSE)
linear("weighted", "mpg ~ wt + cyl", cars[c("mpg", "wt", "cyl", "w")], new, c("wt", "cyl"), c("--response", "mpg", "--weights", "w"),
       formula_option = FALSE, weights = "w", of_new = new$w)
linear("splines", "log(mpg) ~ poly(wt, 2) + ns(qsec, df = 3) + factor(gear) + I(hp^2)", cars, new,
       c("poly(wt, 2)", "ns(qsec, df = 3)", "factor(gear)", "I(hp^2)"))
linear("interactions", "mpg ~ wt * cyl + scale(qsec) + offset(o)", cars, new, c("wt", "cyl", "scale(qsec)", "wt:cyl"))
linear("contrasts", "mpg ~ C(factor(cyl), contr.sum) + ordered(gear) + cut(wt, c(1, 2.5, 3.5, 6))", cars, new,
       c("C(factor(cyl), contr.sum)", "ordered(gear)", "cut(wt, c(1, 2.5, 3.5, 6))"))

# Families: on both scales; intervals of means are those of the linear predictor, turned by the link.
family <- function(name, formula, data, new, keep, options, model, df = Inf, tolerance = 1e-9) {
  link <- predict(model, new, se.fit = TRUE)
  response <- predict(model, new, type = "response", se.fit = TRUE)
  q <- if (is.finite(df)) qt(0.975, df) else qnorm(0.975)
  ends <- sapply(c(-1, 1), function(sign) link$fit + sign * q * link$se.fit)
  turned <- apply(ends, 2, model$family$linkinv)
  # It falls, and where the linear predictor may be 0 there is no largest mean.
  if (model$family$link == "inverse") turned <- cbind(turned[, 2], ifelse(ends[, 1] <= 0, NA, turned[, 1]))
  options <- c("--formula", formula, options)
  answer(paste0(name, "_link"), data, new, options, keep,
         list(fit = link$fit, std_error = link$se.fit, lower = ends[, 1], upper = ends[, 2]),
         predict = c("--interval", "mean", "--scale", "link"), tolerance = tolerance)
  answer(paste0(name, "_response"), data, new, options, keep,
         list(fit = response$fit, std_error = response$se.fit, lower = turned[, 1], upper = turned[, 2]),
         predict = c("--interval", "mean"), tolerance = tolerance)
}
births <- within(birthwt, { race <- c("white", "black", "other")[race]; w <- 1 + seq_along(low) %% 3 })
half <- seq(1, nrow(births), 2)
formula <- "low ~ age + lwt + race + smoke"
for (link in c("logit", "probit", "cloglog")) {
  model <- settled(formula, binomial(link), births[half, ])
  family(paste0("births_", link), formula, births[half, ], births[-half, ], c("age", "lwt", "race", "smoke"),
         c("--family", "binomial", "--link", link), model)
}
air <- within(na.omit(airquality), w <- 0.5 + Day %% 4)
half <- seq(1, nrow(air), 2)
for (link in c("inverse", "log")) {
  model <- settled("Ozone ~ Wind + Temp", Gamma(link), air[half, ], "w")
  family(paste0("air_", link), "Ozone ~ Wind + Temp", air[half, ], air[-half, ], c("Wind", "Temp"),
         c("--family", "gamma", "--link", link, "--weights", "w"), model, df = model$df.residual)
}
claims <- within(Insurance, { District <- paste0("d", District); logh <- log(Holders) })[c("District", "Claims", "logh")]
half <- seq(1, 63, 2)
model <- settled("Claims ~ District + offset(logh)", poisson(), claims[half, ])
family("claims", "Claims ~ District", claims[half, ], claims[-half, ], "District", c("--family", "poisson", "--offset", "logh"), model)
model <- settled("Claims ~ District + offset(logh)", quasipoisson(), claims[half, ])
family("quasi", "Claims ~ District", claims[half, ], claims[-half, ], "District",
       c("--family", "poisson", "--offset", "logh", "--dispersion", "estimate"), model, df = model$df.residual)
quine <- within(quine, Age <- as.character(Age))
half <- seq(1, nrow(quine), 2)
model <- glm.nb(Days ~ Eth + Sex + Age, quine[half, ], control = glm.control(epsilon = 1e-14, maxit = 1000))
# R stops where θ changes by a ten-thousandth of itself.
family("quine", "Days ~ Eth + Sex + Age", quine[half, ], quine[-half, ], c("Eth", "Sex", "Age"), c("--family", "negative-binomial"), model,
       tolerance = 1e-8)

# Levels: probabilities.
levels_of <- function(name, data, new, response, terms, family, levels, model) {
  own <- predict(model, new, type = "probs")
  columns <- setNames(lapply(levels, function(level) own[, level]), sprintf("p[%s]", levels))
  answer(name, data, new, c("--response", response, "--family", family, "--levels", paste(levels, collapse = ",")), terms, columns,
         tolerance = 1e-6)
}
women <- Womenlf[c("partic", "hincome", "children")]
women <- data.frame(lapply(women, function(own) if (is.factor(own)) as.character(own) else own))
half <- seq(1, nrow(women), 2)
levels <- c("not.work", "fulltime", "parttime")
model <- multinom(partic ~ hincome + children, within(women, partic <- factor(partic, levels)), subset = half, trace = FALSE, reltol = 1e-16,
                  abstol = 0, maxit = 20000)
levels_of("women", women[half, ], women[-half, ], "partic", c("hincome", "children"), "multinomial", levels, model)
homes <- housing[rep(seq_len(nrow(housing)), housing$Freq), c("Sat", "Infl", "Type")]
homes <- data.frame(lapply(homes, as.character))
half <- seq(1, nrow(homes), 2)
ordered <- within(homes, Sat <- factor(Sat, c("Low", "Medium", "High"), ordered = TRUE))
model <- polr(Sat ~ Infl + Type, ordered, subset = half, Hess = TRUE, control = list(reltol = 1e-16, maxit = 5000))
levels_of("homes", homes[half, ], homes[seq(2, 200, 2), ], "Sat", c("Infl", "Type"), "ordinal", c("Low", "Medium", "High"), model)

# Survival curves, of each row in its stratum.
curves <- function(name, data, new, time, event, terms, options, times, strata = NULL, weights = NULL, entry = NULL, ties = "efron") {
  parts <- c(terms, if (!is.null(strata)) sprintf("strata(%s)", strata))
  formula <- sprintf("Surv(%s) ~ %s", paste(c(entry, time, event), collapse = ", "), paste(parts, collapse = " + "))
  arguments <- list(as.formula(formula), data, ties = ties, robust = FALSE, control = coxph.control(eps = 1e-13, iter.max = 200, toler.chol = 1e-15))
  if (!is.null(weights)) arguments$weights <- data[[weights]]
  model <- do.call(coxph, arguments)
  columns <- list()
  of_row <- lapply(seq_len(nrow(new)), function(row) summary(survfit(model, newdata = new[row, ]), times = times, extend = TRUE))
  for (at in seq_along(times)) {
    of <- function(field) sapply(of_row, function(own) own[[field]][at])
    columns[[sprintf("survival[%s]", times[at])]] <- of("surv")
    columns[[sprintf("survival_std_error[%s]", times[at])]] <- of("std.err")
    columns[[sprintf("survival_lower[%s]", times[at])]] <- of("lower")
    columns[[sprintf("survival_upper[%s]", times[at])]] <- of("upper")
  }
  options <- c("--family", "cox", "--time", time, "--event", event, "--ties", ties, options)
  if (!is.null(entry)) options <- c(options, "--entry", entry)
  if (!is.null(strata)) options <- c(options, "--strata", strata)
  if (!is.null(weights)) options <- c(options, "--weights", weights)
  answer(name, data[c(entry, time, event, terms, strata, weights)], new[c(terms, strata)], options, terms, columns, tolerance = 1e-9,
         predict = c("--interval", "mean", "--times", paste(times, collapse = ",")))
}
veterans <- within(veteran, celltype <- as.character(celltype))
half <- seq(1, nrow(veterans), 2)
curves("veteran", veterans[half, ], veterans[-half, ][1:25, ], "time", "status", c("karno", "age", "celltype"), c(), c(5, 30, 100, 300))
curves("veteran_strata", veterans[half, ], veterans[-half, ][c(1:5, 40:50), ], "time", "status", c("karno", "age"), c(), c(20, 90), strata = "celltype",
       ties = "breslow")
tumours <- within(gbsg, w <- 1 + pid %% 3)
half <- seq(1, nrow(tumours), 2)
curves("gbsg", tumours[half, ], tumours[-half, ][1:20, ], "rfstime", "status", c("age", "size", "nodes", "hormon"), c(), c(200, 1000, 2000), weights = "w")
hearts <- within(heart, transplant <- as.integer(transplant) - 1)[c("start", "stop", "event", "age", "year", "surgery", "transplant")]
curves("heart", hearts, hearts[seq(1, 100, 7), ], "stop", "event", c("age", "year", "surgery", "transplant"), c(), c(20, 100, 600), entry = "start")
cat(toJSON(answers, auto_unbox = TRUE, digits = NA, null = "null", na = "null"))
