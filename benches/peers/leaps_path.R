# leaps_path.R X.npy y.npy LARGEST OUT: sequential replacement, the best model of each size.

here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
library(leaps)
source(file.path(here, "files.R"))

# regsubsets moves dependent columns to the end, more than once if need be: names survive it.
colnames(x) <- seq_len(ncol(x))
start <- proc.time()
fit <- regsubsets(x, y, nvmax = largest, method = "seqrep", really.big = TRUE)
search <- seconds(start)

# `lopt` packs the models: that of m terms, intercept included, begins behind those
# of 1 … m − 1 terms. summary() would say the same, but undo the moves only once.
models <- lapply(fit$first:min(fit$last, fit$nvmax), function(m) {
  terms <- fit$xnames[fit$lopt[m * (m - 1) / 2 + seq_len(m), 1]]
  as.integer(setdiff(terms, "(Intercept)"))
})
write_path(out, read, search, c(list(integer(0)), models))
