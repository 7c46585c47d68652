# Skeletons, p-values, numbers of tests and classes from R's pcalg: Gaussian tables by their correlations, and categories.
# Rscript pcalg_r.R > pcalg_r.json
suppressPackageStartupMessages(library(pcalg))
number <- function(x) paste0("[", paste(sprintf("%.15g", x), collapse = ", "), "]")
rows <- function(M) paste0("[", paste(apply(M, 1, number), collapse = ", "), "]")
answer <- function(name, given, suff, test, p, alpha, method) {
  fit <- pc(suff, test, alpha, p = p, skel.method = method, u2pd = "relaxed")
  joined <- skeleton(suff, test, alpha, p = p, method = method)
  sprintf('{"name": "%s", %s, "alpha": %g, "method": "%s", "tests": %s,\n "largest_p": %s,\n "ends": %s}', name, given, alpha,
    method, number(joined@n.edgetests), rows(pmax(joined@pMax, t(joined@pMax))), rows(as(fit, "amat")))
}
gaussian <- function(name, C, n, alpha, method) {
  answer(name, sprintf('"n": %d, "correlations": %s', n, rows(C)), list(C = C, n = n), gaussCItest, ncol(C), alpha, method)
}
data(gmG)
data(gmD)
cars <- cor(unname(as.matrix(mtcars)))
eight <- cor(unname(as.matrix(gmG8$x)))
set.seed(1)
network <- function(p, degree) {
  arrows <- matrix(0, p, p)
  pairs <- p * (p - 1) / 2
  arrows[upper.tri(arrows)] <- rbinom(pairs, 1, degree / (p - 1)) * runif(pairs, 0.5, 1)
  cov2cor(crossprod(solve(diag(p) - arrows)))
}
dense <- network(15, 3)
sparse <- network(10, 2)
few <- unname(as.matrix(gmD$x))[1:600, ]
levels <- apply(few, 2, function(column) length(unique(column)))
cases <- c(
  sapply(c("stable", "original"), function(m) gaussian("mtcars", cars, 32, 0.05, m)),
  sapply(c("stable", "original"), function(m) gaussian("gmG8", eight, 5000, 0.01, m)),
  gaussian("network", dense, 400, 0.01, "stable"),
  sapply(c("stable", "original"), function(m) gaussian("exact", sparse, 20000, 0.01, m)),  # the law itself: no test errs by chance
  answer("gmD", sprintf('"rows": %s', rows(few)), list(dm = few, nlev = levels, adaptDF = FALSE), disCItest, 5, 0.05, "stable")
)
cat(sprintf('{"source": "%s, pcalg %s; data: mtcars, pcalg\'s gmG8 and gmD",\n"cases": [\n%s]}\n', R.version.string,
  packageVersion("pcalg"), paste(cases, collapse = ",\n")))
