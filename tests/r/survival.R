# All models of coxph() of sets of its package: Rscript survival.R FOLDER writes the data there and prints, for each set, ties and
# criterion, the best as JSON.
suppressMessages({library(survival); library(jsonlite)})
invisible(Sys.setlocale("LC_COLLATE", "C"))
options(contrasts = c("contr.treatment", "contr.treatment"), digits = 15)
folder <- commandArgs(TRUE)[1]
control <- coxph.control(eps = 1e-13, iter.max = 200, toler.chol = 1e-15)
answers <- list()
best_of_all <- function(name, data, terms, time, event, entry = NULL, strata = NULL, weights = NULL) {
  data <- na.omit(data[c(time, event, entry, strata, weights, terms)])
  write.csv(data, file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
  response <- sprintf("Surv(%s) ~ ", paste(c(entry, time, event), collapse = ", "))
  fit <- function(own, ties) {
    parts <- c(if (length(own)) own else "1", if (!is.null(strata)) sprintf("strata(%s)", strata))
    arguments <- list(as.formula(paste0(response, paste(parts, collapse = " + "))), data, ties = ties, control = control,
                      nocenter = NULL, robust = FALSE)
    if (!is.null(weights)) arguments$weights <- data[[weights]]
    do.call(coxph, arguments)
  }
  for (ties in c("efron", "breslow")) {
    sets <- lapply(0:(2^length(terms) - 1), function(set) terms[bitwAnd(set, 2^(seq_along(terms) - 1)) > 0])
    models <- lapply(sets, fit, ties = ties)
    for (criterion in c("aic", "bic")) {
      # Under weights R's AIC() of one model and BIC() are these too; rows of events, not their weights.
      values <- sapply(models, function(model) {
        k <- length(coef(model))
        -2 * tail(model$loglik, 1) + k * if (criterion == "aic") 2 else log(sum(data[[event]]))
      })
      at <- which.min(values)
      model <- models[[at]]
      own <- coef(summary(model))
      base <- basehaz(model)
      zph <- cox.zph(model)$table
      plain <- colMeans(model.matrix(model)) - model$means
      number <- if (is.null(strata)) 1 else as.integer(base$strata)
      answers[[length(answers) + 1]] <<- list(
        name = name, time = time, event = event, entry = entry, strata = strata, weights = weights, ties = ties,
        criterion = criterion, value = values[at], models = length(models), terms = I(sets[[at]]),
        coefficients = setNames(as.list(own[, "coef"]), rownames(own)),
        std_errors = setNames(as.list(own[, "se(coef)"]), rownames(own)),
        p_values = setNames(as.list(own[, "Pr(>|z|)"]), rownames(own)),
        zph = setNames(as.list(zph[, "chisq"]), rownames(zph)), zph_df = setNames(as.list(zph[, "df"]), rownames(zph)),
        null = model$loglik[1], log_likelihood = model$loglik[2], concordance = model$concordance[["concordance"]],
        baseline = data.frame(stratum = number, time = base$time, hazard = base$hazard * exp(sum(coef(model) * plain))))
    }
  }
}

best_of_all("veteran", within(veteran, celltype <- as.character(celltype)),
            c("trt", "celltype", "karno", "diagtime", "age", "prior"), "time", "status")
best_of_all("gbsg", within(gbsg, w <- 1 + pid %% 3),
            c("age", "meno", "size", "grade", "nodes", "pgr", "er", "hormon"), "rfstime", "status", weights = "w")
best_of_all("heart", within(heart, transplant <- as.integer(transplant) - 1),
            c("age", "year", "surgery", "transplant"), "stop", "event", entry = "start")
best_of_all("pbc", within(pbc, { status <- as.integer(status == 2); sex <- as.character(sex) }),
            c("age", "sex", "ascites", "hepato", "bili", "albumin", "copper", "protime", "ast"), "time", "status",
            strata = "stage")
cat(toJSON(answers, auto_unbox = TRUE, digits = NA, null = "null"))
