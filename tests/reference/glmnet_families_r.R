# Lasso paths of glmnet beyond one numeric target: two classes, three classes, counts, two targets that share predictors.
# Rscript glmnet_families_r.R > glmnet_families_r.json
# glmnet minimises the mean negative log-likelihood (half the mean squared miss, for numbers) + lambda times the L1 norm,
# for several targets lambda times the sum of the rows' lengths; the columns are taken as they are: lambda = alpha.
suppressMessages(library(glmnet))
number <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
rows <- function(M) paste0("[", paste(apply(M, 1, number), collapse = ",\n  "), "]")
set.seed(3)
X <- round(matrix(rnorm(60 * 6), 60) %*% (0.6 * diag(6) + 0.15), 3)
score <- cbind(X[, 1] - X[, 2], 0.8 * X[, 3], 0.5 * X[, 1] - X[, 4])
two <- as.integer(score[, 1] + rlogis(60) > 0)
three <- apply(score - log(-log(matrix(runif(180), 60))), 1, which.max) - 1
counts <- rpois(60, exp(0.5 + 0.6 * X[, 1] - 0.4 * X[, 5]))
both <- round(cbind(score[, 1], score[, 3]) + matrix(rnorm(120), 60), 3)
lambda <- c(0.2, 0.1, 0.03, 0.01)
fit <- function(y, family) {
  glmnet(X, y, family = family, lambda = lambda, standardize = FALSE, thresh = 1e-22, maxit = 1e8)
}
# One matrix a level: a row for each class or target.
levels <- function(g) {
  each <- if (is.list(g$beta)) g$beta else list(g$beta)
  sapply(seq_along(lambda), function(k) rows(t(sapply(each, function(b) as.numeric(b[, k])))))
}
part <- function(name, g) sprintf('"%s": {"intercept": %s,\n "coef": [%s]}', name,
  rows(if (is.matrix(g$a0)) t(g$a0) else cbind(unname(g$a0), deparse.level = 0)), paste(levels(g), collapse = ",\n "))
targets <- sprintf('{"two": %s, "three": %s, "counts": %s, "both": %s}', number(two), number(three), number(counts), rows(both))
cat(sprintf('{"source": "%s, glmnet %s", "lambda": %s, "X": %s,\n"y": %s,\n%s}\n',
  R.version.string, packageVersion("glmnet"), number(lambda), rows(X), targets,
  paste(part("two", fit(two, "binomial")), part("three", fit(three, "multinomial")), part("counts", fit(counts, "poisson")),
        part("both", fit(both, "mgaussian")), sep = ",\n")))
