# Precisions from R's glasso, with the diagonal penalised and not, and with one penalty for each entry.
# Rscript glasso_r.R > glasso_r.json
#
# glasso maximises log det Theta - tr(S Theta) - sum of rho_ij |theta_ij|: our objective with the sign turned.
library(glasso)
number <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
rows <- function(M) paste0("[", paste(apply(M, 1, number), collapse = ",\n  "), "]")
S <- cov(unname(as.matrix(mtcars[, c(1, 3:7)])))
C <- cov2cor(S)
each <- outer(1:6, 1:6, function(i, j) 0.05 + 0.05 * ((i + j) %% 3))
cases <- list(
  list(name = "off", rho = matrix(0.2, 6, 6), diagonal = FALSE), list(name = "all", rho = matrix(0.2, 6, 6), diagonal = TRUE),
  list(name = "small", rho = matrix(0.02, 6, 6), diagonal = FALSE), list(name = "each", rho = each, diagonal = TRUE)
)
answer <- function(case) {
  fit <- glasso(C, case$rho, thr = 1e-12, maxit = 1e6, penalize.diagonal = case$diagonal)
  sprintf('"%s": {"diagonal": %s, "rho": %s, "precision": %s, "covariance": %s}', case$name,
    tolower(case$diagonal), rows(case$rho), rows(fit$wi), rows(fit$w))
}
cat(sprintf('{"source": "%s, glasso %s", "correlations": %s,\n"cases": {%s}}\n', R.version.string,
  packageVersion("glasso"), rows(C), paste(sapply(cases, answer), collapse = ",\n")))
