# Rscript glmnet_r.R > glmnet_r.json: lasso and elastic net of R's mtcars, mpg on the rest.
suppressMessages(library(glmnet))
X <- as.matrix(mtcars[, -1]); y <- mtcars$mpg
w <- rep(c(1, 2, 0.5, 1.5), length.out = length(y))
factors <- c(1, 0.5, 2, 1, 0, 1, 3, 1, 1, Inf)
lambda <- c(2, 1, 0.3, 0.1)
# glmnet works on y over its standard deviation s. In terms of beta / s the L1 level is divided by s, the L2 level is not.
centre <- function(y, w) { m <- sum(w * y) / sum(w); s <- sqrt(sum(w * (y - m)^2) / sum(w)); list(m = m, s = s) }
fit <- function(alpha, w = rep(1, length(y)), pf = rep(1, ncol(X)), lower = -Inf) {
  u <- centre(y, w)
  keep <- is.finite(pf)
  # glmnet rescales the factors to sum to their number: undone in lambda.
  scale <- sum(pf[keep]) / sum(keep)
  l1 <- alpha / u$s; l2 <- 1 - alpha
  g <- glmnet(X[, keep], y / u$s, weights = w, alpha = l1 / (l1 + l2), lambda = lambda * (l1 + l2) * scale, standardize = FALSE,
              thresh = 1e-22, maxit = 1e7, penalty.factor = pf[keep], lower.limits = lower)
  B <- matrix(0, ncol(X), length(lambda)); B[keep, ] <- as.matrix(g$beta) * u$s
  list(coef = B, intercept = g$a0 * u$s)
}
p <- function(x) paste0("[", paste(format(x, digits = 17, trim = TRUE), collapse = ", "), "]")
show <- function(name, f) cat(" \"", name, "\": {\"intercept\": ", p(f$intercept), ",\n  \"coef\": [",
  paste(apply(f$coef, 2, p), collapse = ",\n   "), "]},\n", sep = "")
cat("{\n \"source\": \"", R.version.string, ", glmnet ", as.character(packageVersion("glmnet")), "; data: R's mtcars\",\n", sep = "")
cat(" \"y\": ", p(y), ",\n \"X\": [", paste(apply(X, 1, p), collapse = ",\n  "), "],\n \"weight\": ", p(w), ",\n", sep = "")
show("lasso", fit(1)); show("enet", fit(0.5)); show("weighted", fit(1, w)); show("weighted_enet", fit(0.5, w))
show("factors", fit(1, pf = factors)); show("positive", fit(1, lower = 0))
cat(" \"lambda\": ", p(lambda), "\n}\n", sep = "")
