# Paths of MCP, SCAD and the lasso from ncvreg, each lambda started at the answer before it, eps = 1e-12.
# Rscript ncvreg_r.R > ncvreg_r.json
#
# The part of ncvreg 3.12.0 for linear models was built from the package's sources: src/gaussian.c, src/maxprod.c,
# src/standardize.c, src/ncvreg_init.c, R/std.R, R/setupLambda.R, R/convexMin.R and R/lamNames.R agree with the MD5 file
# of the release; R/ncvreg.R, which calls them, is a version of the author's repository (commit 06efaa0) that differs
# from the release's. Other families, plots and the rest are left out.
#
# ncvreg centres y, brings every column to mean 0 and mean square 1, minimises |y - Z b|^2 / (2n) + sum phi(|b_j|) with
# phi'(t) = (lambda - t/gamma)+ for MCP and lambda up to t = lambda, then (gamma lambda - t)+ / (gamma - 1), for SCAD,
# and returns b over the scale of the columns, with the intercept. So lambda = alpha and gamma = a on Z.
suppressMessages(library(ncvreg))
number <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
rows <- function(M) paste0("[", paste(apply(M, 1, number), collapse = ",\n  "), "]")
set.seed(20)
wide <- matrix(rnorm(30 * 40), 30) + 0.5 * rnorm(30)
wide <- round(wide %*% diag(seq(0.5, 2, length.out = 40)), 3)
target <- round(drop(wide[, 1:4] %*% c(3, -2, 2, 1)) + 5 + rnorm(30), 3)
tables <- list(mtcars = list(X = unname(as.matrix(mtcars[, -1])), y = mtcars$mpg), wide = list(X = wide, y = target))
settings <- list(list("MCP", 3), list("MCP", 1.5), list("SCAD", 3.7), list("SCAD", 2.5), list("lasso", 3))
parts <- c()
for (name in names(tables)) {
  X <- tables[[name]]$X
  y <- tables[[name]]$y
  paths <- sapply(settings, function(s) {
    fit <- ncvreg(X, y, penalty = s[[1]], gamma = s[[2]], nlambda = 20, lambda.min = 0.05, eps = 1e-12, max.iter = 1e8)
    sprintf('{"penalty": "%s", "gamma": %.17g, "lambda": %s,\n "intercept": %s,\n "loss": %s,\n "coef": %s}', s[[1]],
            s[[2]], number(fit$lambda), number(fit$beta[1, ]), number(fit$loss), rows(t(fit$beta[-1, ])))
  })
  parts <- c(parts, sprintf('"%s": {"X": %s,\n "y": %s,\n "paths": [%s]}', name, rows(X), number(y),
                            paste(paths, collapse = ",\n ")))
}
cat(sprintf('{"source": "%s, ncvreg %s", %s}\n', R.version.string, packageVersion("ncvreg"), paste(parts, collapse = ",\n")))
