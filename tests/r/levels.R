# All models of polr() and multinom() of sets of MASS and carData: Rscript levels.R FOLDER writes the data there and prints, for
# each set, family and criterion, the best as JSON.
suppressMessages({library(MASS); library(nnet); library(carData); library(jsonlite)})
invisible(Sys.setlocale("LC_COLLATE", "C"))
options(contrasts = c("contr.treatment", "contr.treatment"), digits = 15)
folder <- commandArgs(TRUE)[1]
answers <- list()
plain <- function(x) if (is.factor(x)) factor(as.character(x), sort(unique(as.character(x)), method = "radix")) else x
best_of_all <- function(name, data, response, terms, families, weights = NULL) {
  data <- na.omit(data[c(response, terms, weights)])
  levels <- levels(droplevels(factor(data[[response]])))
  data[terms] <- lapply(data[terms], plain)
  write.csv(data, file.path(folder, paste0(name, ".csv")), row.names = FALSE, quote = FALSE)
  data[[response]] <- factor(data[[response]], levels, ordered = TRUE)
  data$w <- if (is.null(weights)) 1 else data[[weights]]
  sets <- lapply(0:(2^length(terms) - 1), function(set) terms[bitwAnd(set, 2^(seq_along(terms) - 1)) > 0])
  formula <- function(own) as.formula(paste(response, "~", paste(c("1", own), collapse = " + ")))
  for (family in families) {
    models <- lapply(sets, function(own) switch(family,
      ordinal = do.call(polr, list(formula(own), data, weights = data$w, Hess = TRUE,
                                   control = list(reltol = 1e-15, maxit = 5000))),
      multinomial = do.call(multinom, list(formula(own), data, weights = data$w, Hess = TRUE, trace = FALSE,
                                           reltol = 1e-15, abstol = 0, maxit = 5000))))
    for (criterion in c("aic", "bic")) {
      values <- sapply(seq_along(models), function(at) {
        model <- models[[at]]
        constants <- length(levels) - 1
        deviance(model) + (model$edf - constants) * if (criterion == "aic") 2 else log(nrow(data))
      })
      at <- which.min(values)
      model <- models[[at]]
      if (family == "ordinal") {
        errors <- sqrt(diag(vcov(model)))
        estimates <- c(coef(model), model$zeta)
      } else {
        estimates <- t(coef(model))
        errors <- t(summary(model)$standard.errors)
        names <- outer(rownames(estimates), colnames(estimates), function(x, level) sprintf("%s [%s]", x, level))
        estimates <- setNames(c(estimates), names)
        errors <- setNames(c(errors), names)
      }
      answers[[length(answers) + 1]] <<- list(
        name = name, response = response, weights = weights, family = family, levels = levels, criterion = criterion,
        value = values[at], log_likelihood = -deviance(model) / 2, estimates = as.list(estimates), errors = as.list(errors))
    }
  }
}

best_of_all("housing", housing, "Sat", c("Infl", "Type", "Cont"), c("ordinal", "multinomial"), weights = "Freq")
best_of_all("womenlf", Womenlf, "partic", c("hincome", "children", "region"), "multinomial")
best_of_all("wvs", WVS[seq(1, nrow(WVS), 4), ], "poverty", c("religion", "degree", "country", "age", "gender"), "ordinal")
beps <- BEPS[seq(1, nrow(BEPS), 2), ]
names(beps) <- gsub(".", "_", names(beps), fixed = TRUE)
best_of_all("beps", beps, "vote", c("age", "economic_cond_national", "Blair", "Hague", "Europe", "gender"), "multinomial")
cat(toJSON(answers, auto_unbox = TRUE, digits = NA, null = "null"))
