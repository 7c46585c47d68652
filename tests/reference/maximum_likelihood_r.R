# Values of maximum likelihood from MASS::fitdistr, for maximum_likelihood_r.json.
# Rscript tests/reference/maximum_likelihood_r.R > tests/reference/maximum_likelihood_r.json
suppressMessages({
  library(MASS)
  library(jsonlite)
})

x <- c(0.4, 1.1, 1.3, 1.9, 2.2, 3.5, 0.7, 2.8, 1.6, 0.9)
counts <- c(0, 2, 1, 5, 3, 3, 0, 1)
told <- function(data, law, ...) {
  found <- fitdistr(data, law, ...)
  list(estimate = as.list(found$estimate), error = as.list(found$sd), log_likelihood = found$loglik)
}
tight <- list(reltol = 1e-15)
answers <- list(
  source = paste0(R.version.string, ", MASS ", packageVersion("MASS"), ", fitdistr"),
  x = x,
  counts = counts,
  gamma = told(x, "gamma", control = tight),
  weibull = told(x, "weibull", control = tight),
  cauchy = told(x, "cauchy", control = tight),
  exponential = told(x, "exponential"),
  normal = told(x, "normal"),
  poisson = told(counts, "Poisson")
)
cat(toJSON(answers, auto_unbox = TRUE, digits = 12, pretty = TRUE))
