# Diagnostics of lm() by lmtest: Rscript diagnostics.R FOLDER writes the data there and prints the answers as JSON.
suppressMessages({library(jsonlite); library(lmtest)})
options(digits = 15)
folder <- commandArgs(TRUE)[1]
answers <- list()
# With weights the squares of errors that have one variance if the weights are right.
breusch_pagan <- function(model) {
  squares <- weights(model) * resid(model)^2
  own <- summary(lm(squares ~ model.matrix(model)[, -1]))
  chi <- nobs(model) * own$r.squared
  list(value = chi, p = pchisq(chi, length(coef(model)) - 1, lower.tail = FALSE))
}
answer <- function(name, data, response, drop = c()) {
  write.csv(data, file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
  others <- setdiff(names(data), c(response, drop))
  model <- lm(reformulate(others, response), data)
  x <- model.matrix(model)
  values <- svd(sweep(x, 2, sqrt(colSums(x^2)), "/"))$d
  bp <- bptest(model); dw <- dwtest(model, exact = FALSE); reset <- resettest(model)
  q <- ncol(x); n <- nrow(x); cook <- unname(cooks.distance(model))
  far <- which(pf(cook, q, n - q) > 0.5)
  far <- far[order(-cook[far])]
  # The mean over all orders of entering.
  r2 <- function(set) if (!length(set)) 0 else summary(lm(reformulate(set, response), data))$r.squared
  k <- length(others)
  sets <- lapply(0:(2^k - 1), function(bits) others[bitwAnd(bits, 2^(seq_len(k) - 1)) > 0])
  of <- sapply(sets, r2)
  lmg <- sapply(seq_len(k), function(j) {
    without <- which(bitwAnd(0:(2^k - 1), 2^(j - 1)) == 0)
    size <- sapply(sets[without], length)
    sum(factorial(size) * factorial(k - 1 - size) / factorial(k) * (of[without + 2^(j - 1)] - of[without]))
  })
  p <- summary(model)$coefficients[-1, 4]
  answers[[length(answers) + 1]] <<- list(
    name = name, response = response, keep = paste(others, collapse = ","), drop = paste(drop, collapse = ","),
    condition = max(values) / min(values), bp = unname(bp$statistic), bp_p = unname(bp$p.value),
    dw = unname(dw$statistic), dw_p = unname(dw$p.value), reset = unname(reset$statistic), reset_p = unname(reset$p.value),
    rows = I(far), cook = I(cook[far]), leverage = I(unname(hatvalues(model))[far]), rstandard = I(unname(rstandard(model))[far]),
    lmg = lmg, holm = unname(p.adjust(p, "holm")), bh = unname(p.adjust(p, "BH")), bonferroni = unname(p.adjust(p, "bonferroni")))
}
own <- swiss; names(own) <- gsub("[.]", "_", names(own))
answer("swiss", own, "Fertility")
answer("cars", mtcars, "mpg", c("vs", "am", "gear"))
answer("longley", longley, "Employed")
answer("stack", stackloss, "stack.loss")
answer("air", na.omit(airquality), "Ozone", "Day")
far <- within(cars, { dist[50] <- 400; more <- speed^2 })
answer("far", far, "dist")

# Of generalized linear models collinearity is that under the working weights.
models <- list()
of_family <- function(name, data, response, model, options) {
  write.csv(data, file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
  x <- model.matrix(model) * sqrt(weights(model, "working"))
  values <- svd(sweep(x, 2, sqrt(colSums(x^2)), "/"))$d
  q <- ncol(x); cook <- unname(cooks.distance(model))
  far <- which(pf(cook, q, nrow(x) - q) > 0.5)
  far <- far[order(-cook[far])]
  v <- vcov(model)[-1, -1]
  models[[length(models) + 1]] <<- list(
    name = name, options = c("--response", response, options), condition = max(values) / min(values), vif = unname(diag(v) * diag(solve(v))),
    rows = I(far), cook = I(cook[far]), leverage = I(unname(hatvalues(model))[far]), rstandard = I(unname(rstandard(model))[far]))
}
control <- glm.control(epsilon = 1e-14, maxit = 100)
cars <- mtcars[c("am", "wt", "hp", "qsec")]
of_family("events", cars, "am", glm(am ~ wt + hp, binomial, cars, control = control), c("--family", "binomial", "--keep", "wt,hp", "--drop", "qsec"))
sprays <- within(mtcars, rm(am, gear, vs))[c("carb", "mpg", "wt", "disp")]
sprays$carb[3] <- 40
of_family("counts", sprays, "carb", glm(carb ~ mpg + wt + disp, poisson, sprays, control = control), c("--family", "poisson", "--keep", "mpg,wt,disp"))
air <- na.omit(airquality)[c("Ozone", "Wind", "Temp", "Solar.R")]
air$Ozone[5] <- 900
of_family("amounts", air, "Ozone", glm(Ozone ~ ., Gamma("log"), air, control = control), c("--family", "gamma", "--keep", "Wind,Temp,Solar.R"))
air$w <- 0.5 + seq_len(nrow(air)) %% 3
model <- glm(Ozone ~ . - w, Gamma("log"), air, weights = w, control = control)
of_family("weighted", air, "Ozone", model, c("--family", "gamma", "--keep", "Wind,Temp,Solar.R", "--weights", "w"))
weighted <- list()
of_weights <- function(name, data, response, w) {
  write.csv(within(data, w <- w), file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
  others <- setdiff(names(data), response)
  data$w <- w
  own <- breusch_pagan(lm(reformulate(others, response), data, weights = w))
  # Of equal weights it is that of lmtest, and their unit does not matter.
  ones <- lm(reformulate(others, response), data, weights = rep(1, nrow(data)))
  stopifnot(abs(breusch_pagan(ones)$value / bptest(ones)$statistic - 1) < 1e-9)
  data$w <- 7 * w
  stopifnot(abs(breusch_pagan(lm(reformulate(others, response), data, weights = w))$value / own$value - 1) < 1e-9)
  weighted[[length(weighted) + 1]] <<- list(name = name, response = response, keep = paste(others, collapse = ","), bp = own$value, p = own$p)
}
own <- swiss; names(own) <- gsub("[.]", "_", names(own))
of_weights("swiss_weighted", own, "Fertility", 0.5 + seq_len(nrow(own)) %% 4)
of_weights("cars_weighted", within(mtcars, rm(vs, am, gear)), "mpg", mtcars$gear / 10)
of_weights("longley_weighted", longley, "Employed", 1000 * longley$Year - 1940000)
cat(toJSON(list(weighted = weighted, least_squares = answers, families = models), auto_unbox = TRUE, digits = NA, null = "null"))
