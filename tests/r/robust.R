# Robust covariances of sandwich: Rscript robust.R FOLDER writes the data there and prints the answers as JSON.
suppressMessages({library(MASS); library(jsonlite); library(sandwich); library(lmtest)})
options(digits = 15)
folder <- commandArgs(TRUE)[1]
control <- glm.control(epsilon = 1e-14, maxit = 200)
answers <- list()
answer <- function(name, data, model, options, vcov, df, term = NULL) {
  write.csv(data, file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
  tests <- coeftest(model, vcov. = vcov, df = df)
  ends <- coefci(model, vcov. = vcov, df = df)
  # A factor and all variables by Wald's test.
  wald <- function(reduced) {
    b <- setdiff(names(coef(model)), names(coef(reduced)))
    drop(coef(model)[b] %*% solve(vcov[b, b], coef(model)[b])) / length(b)
  }
  answers[[length(answers) + 1]] <<- list(
    name = name, options = options, names = rownames(tests), covariance = unname(vcov),
    estimates = unname(tests[, 1]), std_errors = unname(tests[, 2]), tests = unname(tests[, 3]), p = unname(tests[, 4]),
    lower = unname(ends[, 1]), upper = unname(ends[, 2]),
    term = if (!is.null(term)) wald(update(model, paste(". ~ . -", term))),
    all = wald(update(model, . ~ 1)))
}

for (type in c("HC0", "HC1", "HC2", "HC3")) {
  own <- swiss; names(own) <- gsub("[.]", "_", names(own))
  model <- lm(Fertility ~ ., own)
  options <- c("--response", "Fertility", "--keep", paste(names(own)[-1], collapse = ","), "--covariance", tolower(type))
  answer(paste0("swiss_", type), own, model, options, vcovHC(model, type), model$df.residual)
  own$w <- 0.5 + seq_len(nrow(own)) %% 4
  model <- lm(Fertility ~ . - w, own, weights = w)
  answer(paste0("weighted_", type), own, model, c(options, "--weights", "w"), vcovHC(model, type), model$df.residual)
  births <- within(birthwt, race <- c("white", "black", "other")[race])[c("low", "age", "lwt", "race", "smoke")]
  births$race <- factor(births$race)
  model <- glm(low ~ ., binomial(), births, control = control)
  options <- c("--response", "low", "--family", "binomial", "--keep", "age,lwt,race,smoke", "--covariance", tolower(type))
  answer(paste0("births_", type), births, model, options, vcovHC(model, type), Inf, "race")
}
claims <- within(Insurance, { logh <- log(Holders); District <- factor(paste0("d", District)) })[c("District", "Claims", "logh")]
model <- glm(Claims ~ District + offset(logh), poisson(), claims, control = control)
options <- c("--response", "Claims", "--family", "poisson", "--offset", "logh", "--keep", "District", "--covariance", "hc0")
answer("claims", claims, model, options, vcovHC(model, "HC0"), Inf, "District")
air <- na.omit(airquality)[c("Ozone", "Wind", "Temp", "Month")]
model <- glm(Ozone ~ Wind + Temp, Gamma("log"), air, control = control)
options <- c("--response", "Ozone", "--family", "gamma", "--keep", "Wind,Temp", "--cluster", "Month")
answer("air", air, model, options, vcovCL(model, ~ Month, type = "HC0"), 4)
data("PetersenCL", package = "sandwich")
firms <- within(PetersenCL, firm <- paste0("f", firm))
model <- lm(y ~ x, firms)
options <- c("--response", "y", "--keep", "x", "--drop", "year", "--cluster", "firm")
answer("firms", firms, model, options, vcovCL(model, ~ firm), 499)
answer("firms_hc0", firms, model, c(options, "--covariance", "hc0"), vcovCL(model, ~ firm, type = "HC0"), 499)
firms$e <- as.integer(firms$y > 0)
model <- glm(e ~ x, binomial("probit"), firms, control = control)
options <- c("--response", "e", "--family", "binomial", "--link", "probit", "--keep", "x", "--drop", "year,y", "--cluster", "firm")
answer("firms_probit", firms, model, options, vcovCL(model, ~ firm), Inf)
cat(toJSON(answers, auto_unbox = TRUE, digits = NA, null = "null"))
