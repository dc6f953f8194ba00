# exhaustive.R FILE.csv RESPONSE: leaps' exhaustive search. Prints its seconds and the lowest
# n ln(RSS/n) + k ln n of the best models of all sizes.

library(leaps)
arguments <- commandArgs(TRUE)
data <- read.csv(arguments[1], comment.char = "#", check.names = FALSE)
y <- data[[arguments[2]]]
x <- as.matrix(data[setdiff(names(data), arguments[2])])
n <- nrow(x)
start <- proc.time()
fit <- regsubsets(x, y, nvmax = ncol(x), method = "exhaustive", really.big = TRUE)
seconds <- (proc.time() - start)[["elapsed"]]
k <- seq_along(fit$ress[-1, 1])
cat(seconds, min(n * log(fit$ress[-1, 1] / n) + k * log(n)), "\n")
