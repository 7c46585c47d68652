# Gaussian mixtures of R's iris by mclust: EM from the species, to the end, for five kinds of covariance.
# Rscript mclust_r.R > mclust_r.json
suppressPackageStartupMessages(library(mclust))
number <- function(x) paste0("[", paste(sprintf("%.15g", x), collapse = ", "), "]")
rows <- function(M) paste0("[", paste(apply(M, 1, number), collapse = ", "), "]")
X <- unname(as.matrix(iris[, 1:4]))
start <- unmap(as.integer(iris$Species))
# mclust's words for full, tied, diag, spherical and shared_spherical.
kinds <- c(full = "VVV", tied = "EEE", diag = "VVI", spherical = "VII", shared_spherical = "EII")
answer <- function(kind) {
  fit <- me(X, modelName = kinds[[kind]], z = start, control = emControl(tol = c(1e-14, 1e-14), itmax = c(1e5, 1e5)))
  sigma <- apply(fit$parameters$variance$sigma, 3, function(S) S)
  criterion <- bic(kinds[[kind]], fit$loglik, nrow(X), ncol(X), 3)
  sprintf('"%s": {"log_likelihood": %.15g, "bic": %.15g, "weights": %s,\n "means": %s,\n "covariances": %s}',
    kind, fit$loglik, criterion, number(fit$parameters$pro), rows(t(fit$parameters$mean)), rows(t(sigma)))
}
cat(sprintf('{"source": "%s, mclust %s; data: iris, start: species",\n%s}\n', R.version.string,
  packageVersion("mclust"), paste(sapply(names(kinds), answer), collapse = ",\n")))
