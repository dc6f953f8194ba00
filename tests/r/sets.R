# Writes R's own data sets as CSV into the folder that is named, as a user of R would. Nothing of
# them is part of passel.
#
#     Rscript tests/r/sets.R FOLDER

setwd(commandArgs(trailingOnly = TRUE)[1])

# Every set gets a column `w` of weights that differ, a power of nothing and not of mean one.
write <- function(name, data) {
  data$w <- 0.5 + seq_len(nrow(data)) %% 4
  write.csv(data, paste0(name, ".csv"), row.names = FALSE)
}

write("mtcars", mtcars)
write("swiss", swiss)
write("airquality", airquality)
write("longley", longley)
write("stackloss", stackloss)
write("attitude", attitude)
write("LifeCycleSavings", LifeCycleSavings)
write("rock", rock)
write("state", as.data.frame(state.x77))
write("quakes", quakes)
write("trees", trees)
write("iris", iris)
write("warpbreaks", warpbreaks)
write("ToothGrowth", ToothGrowth)

# Twenty candidates, many of them nearly collinear: squares and products of swiss.
terms <- model.matrix(~ .^2 - 1, swiss[-1])
colnames(terms) <- sub(":", " x ", colnames(terms))
squares <- swiss[-1]^2
names(squares) <- paste(names(squares), "squared")
write("swiss_quadratic", data.frame(Fertility = swiss$Fertility, terms, squares, check.names = FALSE))
