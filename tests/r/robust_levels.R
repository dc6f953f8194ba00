# Robust covariances of levels: Rscript robust_levels.R FOLDER writes the data there and prints the answers as JSON. Those of polr are of
# sandwich, which lacks the scores of multinom: they are written here from their definition.
suppressMessages({library(MASS); library(nnet); library(carData); library(jsonlite); library(sandwich)})
invisible(Sys.setlocale("LC_COLLATE", "C"))
options(contrasts = c("contr.treatment", "contr.treatment"), digits = 15)
folder <- commandArgs(TRUE)[1]
answers <- list()
# Newton's steps, which end at the maximum to all digits where the optimisers of polr and multinom have about five.
maximum <- function(theta, scores) {
  gradient <- function(theta) colSums(scores(theta))
  hessian <- function(theta) sapply(seq_along(theta), function(at) {
    step <- 1e-4 * max(abs(theta[at]), 1e-2)
    moved <- function(by) { theta[at] <- theta[at] + by; gradient(theta) }
    (8 * (moved(step) - moved(-step)) - moved(2 * step) + moved(-2 * step)) / (12 * step)
  })
  for (round in 1:50) theta <- theta - solve(hessian(theta), gradient(theta))
  list(theta = theta, vcov = solve(-hessian(theta)))
}
# As estfun and bread of a model that sandwich knows.
estfun.maximum <- function(x, ...) x$scores
bread.maximum <- function(x, ...) x$vcov * nrow(x$scores)
nobs.maximum <- function(object, ...) nrow(object$scores)
ordinal_scores <- function(x, y, w) function(theta) {
  k <- ncol(x); eta <- drop(x %*% theta[seq_len(k)]); zeta <- c(-Inf, theta[-seq_len(k)], Inf)
  b <- zeta[y + 1] - eta; a <- zeta[y] - eta
  p <- plogis(b) - plogis(a)
  own <- sapply(seq_len(length(zeta) - 2), function(at) ((y == at) * dlogis(b) - (y == at + 1) * dlogis(a)) / p)
  w * cbind(-x * (dlogis(b) - dlogis(a)) / p, own)
}
multinomial_scores <- function(x, y, w) function(theta) {
  x <- cbind(1, x); theta <- matrix(theta, ncol(x))
  odds <- exp(cbind(0, x %*% theta)); p <- odds / rowSums(odds)
  w * do.call(cbind, lapply(seq_len(ncol(theta)), function(at) x * ((y == at + 1) - p[, at + 1])))
}
near <- function(own, other) max(abs(own - other) / sqrt(diag(other) %o% diag(other))) < 1e-3
answer <- function(name, family, data, response, terms, options, weights = NULL, cluster = NULL, type = "HC0") {
  write.csv(data, file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
  w <- if (is.null(weights)) rep(1, nrow(data)) else data[[weights]]
  formula <- reformulate(terms, response)
  x <- model.matrix(formula, data)[, -1, drop = FALSE]
  y <- as.integer(data[[response]])
  if (family == "ordinal") {
    data$w <- w
    model <- polr(formula, data, weights = w, Hess = TRUE, control = list(reltol = 1e-15, maxit = 5000))
    scores <- ordinal_scores(x, y, w)
    own <- maximum(c(coef(model), model$zeta), scores)
    names <- c(colnames(x), names(model$zeta))
    # The scores of sandwich are these, and so are its covariances, to the digits that polr has.
    stopifnot(max(abs(estfun(model) - scores(c(coef(model), model$zeta)))) < 1e-10)
  } else {
    model <- multinom(formula, data, weights = w, trace = FALSE, reltol = 1e-15, abstol = 0, maxit = 5000)
    scores <- multinomial_scores(x, y, w)
    own <- maximum(c(t(coef(model))), scores)
    names <- c(outer(c("(intercept)", colnames(x)), levels(data[[response]])[-1], function(x, level) sprintf("%s [%s]", x, level)))
  }
  own <- structure(list(scores = scores(own$theta), vcov = own$vcov, theta = own$theta), class = "maximum")
  if (is.null(cluster)) {
    factor <- if (type == "HC1") nrow(x) / (nrow(x) - length(own$theta)) else 1
    vcov <- sandwich(own) * factor
    # Of weights the bread of polr is out by their sum over the rows.
    if (family == "ordinal") stopifnot(near(sandwich(model, bread. = vcov(model) * nrow(x)) * factor, vcov))
  } else {
    vcov <- vcovCL(own, data[[cluster]], type = type)
    if (family == "ordinal") stopifnot(near(vcovCL(model, data[[cluster]], type = type), vcov))
  }
  answers[[length(answers) + 1]] <<- list(
    name = name, names = names, estimates = own$theta, covariance = unname(vcov),
    options = c(options, "--response", response, "--family", family, "--levels", paste(levels(data[[response]]), collapse = ","),
                "--keep", paste(terms, collapse = ","), if (!is.null(weights)) c("--weights", weights),
                if (!is.null(cluster)) c("--cluster", cluster),
                if (is.null(cluster) || type != "HC0") c("--covariance", tolower(type))))
}

plain <- function(x) if (is.factor(x)) factor(as.character(x), sort(unique(as.character(x)), method = "radix")) else x
houses <- within(housing, { Infl <- plain(Infl); Type <- plain(Type); Cont <- plain(Cont) })
for (family in c("ordinal", "multinomial")) {
  answer(paste0("housing_", family), family, houses, "Sat", c("Infl", "Type", "Cont"), c(), weights = "Freq")
  answer(paste0("housing_hc1_", family), family, houses, "Sat", c("Infl", "Cont"), c("--drop", "Type"), weights = "Freq", type = "HC1")
}
poverty <- WVS[seq(1, nrow(WVS), 4), c("poverty", "religion", "degree", "age", "gender")]
poverty <- within(poverty, { religion <- plain(religion); degree <- plain(degree); gender <- plain(gender); area <- paste0("a", seq_along(age) %/% 20) })
votes <- BEPS[seq(1, nrow(BEPS), 2), c("vote", "age", "Blair", "Hague", "Europe", "gender")]
votes <- within(votes, { vote <- gsub(" ", "", vote); vote <- factor(vote, unique(vote)); gender <- plain(gender); area <- paste0("a", seq_along(age) %/% 15) })
answer("poverty", "ordinal", poverty, "poverty", c("religion", "degree", "age", "gender"), c(), cluster = "area")
answer("poverty_hc1", "ordinal", poverty, "poverty", c("age", "gender"), c("--drop", "religion,degree"), cluster = "area", type = "HC1")
answer("votes", "multinomial", votes, "vote", c("age", "Blair", "Europe", "gender"), c("--drop", "Hague"), cluster = "area")
answer("votes_hc0", "multinomial", votes, "vote", c("age", "Hague"), c("--drop", "Blair,Europe,gender,area"))
cat(toJSON(answers, auto_unbox = TRUE, digits = NA, null = "null"))
