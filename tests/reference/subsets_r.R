# Best subsets (leaps::regsubsets, exhaustive) and stepwise selection (stats::step) on R's own tables.
# Rscript subsets_r.R > subsets_r.json
suppressMessages(library(leaps))
number <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
tables <- list(mtcars = mtcars, swiss = swiss, longley = longley)
targets <- list(mtcars = "mpg", swiss = "Fertility", longley = "Employed")
parts <- c()
for (name in names(tables)) {
  d <- tables[[name]]
  y <- d[[targets[[name]]]]
  X <- as.matrix(d[, names(d) != targets[[name]]])
  found <- regsubsets(X, y, nvmax = ncol(X), method = "exhaustive", nbest = 1)
  which <- summary(found)$which[, -1, drop = FALSE]
  best <- sapply(seq_len(nrow(which)), function(k) number(unname(base::which(which[k, ])) - 1))
  frame <- data.frame(y = y, X)
  full <- lm(y ~ ., frame)
  none <- lm(y ~ 1, frame)
  steps <- list(
    forward = step(none, formula(full), direction = "forward", trace = 0),
    backward = step(full, direction = "backward", trace = 0),
    both = step(none, list(lower = none, upper = full), direction = "both", trace = 0),
    bic = step(full, direction = "backward", trace = 0, k = log(length(y)))
  )
  chosen <- sapply(steps, function(fit) number(sort(match(names(coef(fit))[-1], colnames(X)) - 1)))
  parts <- c(parts, sprintf(
    '"%s": {"X": [%s], "y": %s, "best": [%s], "rss": %s, "step": {%s}}', name,
    paste(apply(X, 1, number), collapse = ", "), number(y), paste(best, collapse = ", "), number(summary(found)$rss),
    paste(sprintf('"%s": %s', names(chosen), chosen), collapse = ", ")))
}
cat(sprintf('{"versions": {"R": "%s", "leaps": "%s"}, %s}\n', getRversion(), packageVersion("leaps"), paste(parts, collapse = ",\n")))
