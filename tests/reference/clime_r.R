# CLIME's columns and symmetric answers from R's clime (simplex), on correlations of mtcars.
# Rscript clime_r.R > clime_r.json
suppressPackageStartupMessages(library(clime))
number <- function(x) paste0("[", paste(sprintf("%.12g", x), collapse = ", "), "]")
rows <- function(M) paste0("[", paste(apply(M, 1, number), collapse = ", "), "]")
C <- cor(unname(as.matrix(mtcars[, c(1, 3:7)])))
levels <- c(0.4, 0.2, 0.1, 0.05)
fit <- clime(C, lambda = levels, sigma = TRUE, perturb = FALSE, linsolver = "simplex")
# The programmes before symmetrising, whose values do not hang on which of several answers is taken.
values <- sapply(levels, function(l) sapply(1:6, function(j) sum(abs(clime:::linprogS(C, diag(6)[, j], l)))))
cat(sprintf('{"source": "%s, clime %s; data: mtcars", "correlations": %s,\n"levels": %s,\n"norms": %s,\n"precisions": [%s]}\n',
  R.version.string, packageVersion("clime"), rows(C), number(levels), rows(t(values)), paste(sapply(fit$Omegalist, rows), collapse = ",\n")))
