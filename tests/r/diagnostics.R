# Diagnostics of lm() by lmtest: Rscript diagnostics.R FOLDER writes the data there and prints the answers as JSON.
suppressMessages({library(jsonlite); library(lmtest)})
options(digits = 15)
folder <- commandArgs(TRUE)[1]
answers <- list()
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
cat(toJSON(answers, auto_unbox = TRUE, digits = NA, null = "null"))
