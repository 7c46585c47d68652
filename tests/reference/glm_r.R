# Reference values of R's glm, iterated to the end: Rscript tests/reference/glm_r.R > tests/reference/glm_r.json
control <- glm.control(epsilon = 1e-15, maxit = 200)
numbers <- function(x) paste0("[", paste(sprintf("%.17g", as.numeric(x)), collapse = ", "), "]")
rows <- function(X) paste0("[", paste(apply(X, 1, numbers), collapse = ", "), "]")
case <- function(name, X, y, family, weight = NULL, offset = NULL) {
  w <- if (is.null(weight)) rep(1, length(y)) else weight
  o <- if (is.null(offset)) rep(0, length(y)) else offset
  fit <- suppressWarnings(glm(y ~ X, family = family, weights = w, offset = o, control = control))
  # The weights that glm keeps are one step behind its coefficients: restarts bring them level.
  for (k in 1:4) fit <- suppressWarnings(
    glm(y ~ X, family = family, weights = w, offset = o, control = control, start = coef(fit)))
  s <- summary(fit)$coefficients
  ci <- confint.default(fit)
  entry <- c(
    family = sprintf('"%s"', tolower(family$family)), link = sprintf('"%s"', family$link), X = rows(X), y = numbers(y),
    weight = if (is.null(weight)) "null" else numbers(weight), offset = if (is.null(offset)) "null" else numbers(offset),
    estimate = numbers(s[, 1]), standard_error = numbers(s[, 2]), statistic = numbers(s[, 3]), p_value = numbers(s[, 4]),
    lower = numbers(ci[, 1]), upper = numbers(ci[, 2]), fitted = numbers(fitted(fit)),
    deviance = sprintf("%.17g", deviance(fit)), null_deviance = sprintf("%.17g", fit$null.deviance),
    dispersion = sprintf("%.17g", summary(fit)$dispersion), aic = sprintf("%.17g", AIC(fit)))
  paste0('  "', name, '": {', paste(sprintf('"%s": %s', names(entry), entry), collapse = ",\n    "), "}")
}
cars <- as.matrix(mtcars[, c("wt", "qsec")])
wool <- model.matrix(~ wool + tension, warpbreaks)[, -1]
breaks <- warpbreaks$breaks
trials <- c(6, 8, 5, 9, 7, 10, 12, 4)
dose <- cbind(dose = log(c(1, 2, 3, 5, 8, 13, 21, 34)))
died <- c(0, 1, 1, 3, 4, 7, 10, 4)
exposure <- log(seq(1, 4, length.out = length(breaks)))
cases <- c(
  case("cars, gaussian identity", cars, mtcars$mpg, gaussian()),
  case("cars, gaussian log", cars, mtcars$mpg, gaussian("log")),
  case("cars, binomial logit", cars[, "wt", drop = FALSE], mtcars$am, binomial()),
  case("cars, binomial probit", cars[, "wt", drop = FALSE], mtcars$am, binomial("probit")),
  case("cars, binomial cloglog", cars[, "wt", drop = FALSE], mtcars$am, binomial("cloglog")),
  case("dose, binomial logit, trials", dose, died / trials, binomial(), trials),
  case("dose, binomial cloglog, trials", dose, died / trials, binomial("cloglog"), trials),
  case("warpbreaks, poisson log", wool, breaks, poisson()),
  case("warpbreaks, poisson identity", wool, breaks, poisson("identity")),
  case("warpbreaks, poisson log, exposure", wool, breaks, poisson(), NULL, exposure),
  case("cars, gamma log", cars, mtcars$mpg, Gamma("log")),
  case("cars, gamma inverse", cars, mtcars$mpg, Gamma("inverse")))
cat(sprintf('{"source": "%s, stats::glm, epsilon 1e-15; data: datasets::mtcars, datasets::warpbreaks",\n"cases": {\n%s}}\n',
            R.version.string, paste(cases, collapse = ",\n")))
