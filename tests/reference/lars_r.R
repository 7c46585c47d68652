# Every knot of the lasso and of least angle regression from R's lars: level, coefficients, who enters and who leaves.
# Rscript lars_r.R FOLDER > lars_r.json, where FOLDER holds scikit-learn's diabetes_data_raw.csv.gz and
# diabetes_target.csv.gz, the data of the article on least angle regression (not repeated in the answers).
#
# lars 1.3 was built from the package's sources, without plots, cross-validation and prediction; every file used agrees
# with the MD5 file of the release, NAMESPACE being cut to what is there.
#
# lars minimises |y - X b|^2 / 2 + lambda |b|_1, columns and y centred; so lambda = n alpha. With normalize the columns
# are brought to length 1 first and the coefficients returned are divided by the lengths. The last knot is at 0.
library(lars)
number <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
rows <- function(M) paste0("[", paste(apply(M, 1, number), collapse = ",\n  "), "]")
folder <- commandArgs(trailingOnly = TRUE)[1]
diabetes <- unname(as.matrix(read.table(gzfile(file.path(folder, "diabetes_data_raw.csv.gz")))))
progression <- read.table(gzfile(file.path(folder, "diabetes_target.csv.gz")))[[1]]
set.seed(7)
wide <- round(matrix(rnorm(12 * 20), 12) + 0.7 * rnorm(12), 3)
target <- round(drop(wide[, 1:4] %*% c(3, -2, 2, 1)) + 5 + rnorm(12), 3)
tables <- list(
  diabetes = list(X = diabetes, y = progression), mtcars = list(X = unname(as.matrix(mtcars[, -1])), y = mtcars$mpg),
  longley = list(X = unname(as.matrix(longley[, -7])), y = longley$Employed), wide = list(X = wide, y = target))
parts <- c()
for (name in names(tables)) {
  X <- tables[[name]]$X
  y <- tables[[name]]$y
  paths <- c()
  for (type in c("lasso", "lar")) for (normalize in c(TRUE, FALSE)) {
    fit <- lars(X, y, type = type, normalize = normalize, use.Gram = FALSE)
    paths <- c(paths, sprintf('{"type": "%s", "normalize": %s, "lambda": %s,\n "actions": [%s],\n "coef": %s}', type,
      tolower(normalize), number(c(fit$lambda, 0)), paste(sapply(fit$actions, number), collapse = ", "), rows(fit$beta)))
  }
  given <- if (name == "diabetes") "" else sprintf('"X": %s,\n "y": %s,\n ', rows(X), number(y))
  parts <- c(parts, sprintf('"%s": {%s"paths": [%s]}', name, given, paste(paths, collapse = ",\n ")))
}
cat(sprintf('{"source": "%s, lars %s", %s}\n', R.version.string, packageVersion("lars"), paste(parts, collapse = ",\n")))
