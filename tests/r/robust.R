# Robust covariances of sandwich: Rscript robust.R FOLDER writes the data there and prints the answers as JSON.
suppressMessages({library(MASS); library(jsonlite); library(sandwich); library(lmtest); library(survival)})
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
# Survival times: the variance of a robust coxph is that of Lin and Wei.
control <- coxph.control(eps = 1e-13, toler.chol = 1e-14, iter.max = 100)
cox <- function(name, data, model, options, term = NULL)
  answer(name, data, model, c(options, "--family", "cox"), vcov(model), Inf, term)
lungs <- na.omit(lung[c("time", "status", "age", "sex", "ph.ecog", "wt.loss", "inst")])
names(lungs)[5:6] <- c("ecog", "loss")
lungs <- within(lungs, {
  status <- status - 1; inst <- paste0("i", inst); w <- 0.5 + seq_along(age) %% 3
  ecog <- relevel(factor(c("none", "some", "much", "most")[ecog + 1]), "most")
})
options <- c("--response", "time", "--event", "status", "--keep", "age,sex,loss")
three <- Surv(time, status) ~ age + sex + loss
model <- coxph(three, lungs, robust = TRUE, control = control)
cox("lung_hc0", lungs, model, c(options, "--drop", "ecog,inst,w", "--covariance", "hc0"))
model <- coxph(three, lungs, cluster = inst, control = control)
cox("lung_cluster", lungs, model, c(options, "--drop", "ecog,w", "--cluster", "inst"))
model <- coxph(three, lungs, weights = w, robust = TRUE, control = control)
cox("lung_weights", lungs, model, c(options, "--drop", "ecog,inst", "--weights", "w", "--covariance", "hc0"))
model <- coxph(three, lungs, cluster = inst, ties = "breslow", control = control)
cox("lung_breslow", lungs, model, c(options, "--drop", "ecog,w", "--cluster", "inst", "--ties", "breslow"))
options <- c("--response", "time", "--event", "status")
model <- coxph(Surv(time, status) ~ age + loss + strata(sex), lungs, robust = TRUE, control = control)
cox("lung_strata", lungs, model, c(options, "--keep", "age,loss", "--strata", "sex", "--drop", "ecog,inst,w", "--covariance", "hc0"))
model <- coxph(Surv(time, status) ~ age + ecog, lungs, cluster = inst, control = control)
cox("lung_factor", lungs, model, c(options, "--keep", "age,ecog", "--drop", "sex,loss,w", "--cluster", "inst"), "ecog")
hearts <- within(heart, { id <- paste0("p", id); rm(transplant) })
model <- coxph(Surv(start, stop, event) ~ age + year + surgery, hearts, cluster = id, control = control)
options <- c("--response", "stop", "--entry", "start", "--event", "event", "--keep", "age,year,surgery", "--cluster", "id")
cox("heart", hearts, model, options)
cat(toJSON(answers, auto_unbox = TRUE, digits = NA, null = "null"))
