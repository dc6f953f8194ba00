# glmnet_path.R X.npy y.npy LARGEST OUT: the supports of the lasso's path of 100 λ.
# Its length is glmnet's own affair, so LARGEST is not used.

here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))
suppressMessages(library(glmnet))
source(file.path(here, "files.R"))

start <- proc.time()
fit <- glmnet(x, y)
search <- seconds(start)

supports <- lapply(seq_along(fit$lambda), function(l) which(fit$beta[, l] != 0))
write_path(out, read, search, unique(lapply(supports, unname)))
