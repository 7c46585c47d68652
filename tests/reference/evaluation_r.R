# Reference values of tests/evaluation/test_r_values.py. Run: Rscript evaluation_r.R > evaluation_r.json
# Base R only. Each value is written with 17 digits.
show <- function(x) sprintf("%.17g", x)
vector <- function(x) paste0("[", paste(show(x), collapse = ", "), "]")
field <- function(name, value) paste0("  \"", name, "\": ", value)

counts <- list(c(0, 10), c(1, 10), c(7, 40), c(50, 100), c(298, 300))
exact <- sapply(counts, function(k) binom.test(k[1], k[2])$conf.int)
wilson <- sapply(counts, function(k) suppressWarnings(prop.test(k[1], k[2], correct = FALSE))$conf.int)
two <- list(c(12, 80, 25, 90), c(3, 50, 9, 60), c(40, 100, 41, 130))
wald_difference <- sapply(two, function(k) suppressWarnings(prop.test(k[c(1, 3)], k[c(2, 4)], correct = FALSE))$conf.int)

first <- c(0.81, 0.79, 0.84, 0.90, 0.77, 0.83, 0.86, 0.80, 0.88, 0.82)
second <- c(0.78, 0.80, 0.80, 0.85, 0.75, 0.79, 0.87, 0.76, 0.83, 0.79)
paired <- t.test(first, second, paired = TRUE)
# Nadeau and Bengio 2003: the variance of the mean over k folds is (1/k + n_test/n_train) s^2.
difference <- first - second
k <- length(difference)
corrected <- mean(difference) / sqrt((1 / k + 10 / 90) * var(difference))
corrected_p <- 2 * pt(-abs(corrected), k - 1)
half <- qt(0.975, k - 1) * sqrt((1 / k + 10 / 90) * var(difference))

mcnemar_exact <- binom.test(5, 5 + 14)$p.value
mcnemar_plain <- mcnemar.test(matrix(c(60, 14, 5, 21), 2), correct = FALSE)$p.value
mcnemar_corrected <- mcnemar.test(matrix(c(60, 14, 5, 21), 2), correct = TRUE)$p.value

scores <- matrix(c(0.76, 0.78, 0.82, 0.60, 0.62, 0.66, 0.91, 0.90, 0.95, 0.54, 0.58, 0.57, 0.71, 0.74, 0.79,
                   0.88, 0.89, 0.93, 0.65, 0.64, 0.70, 0.80, 0.85, 0.84), ncol = 3, byrow = TRUE)
ranks <- friedman.test(scores)
p <- c(0.001, 0.04, 0.03, 0.2, 0.012, 0.6)
gaps <- c(0.031, -0.012, 0.054, 0.047, -0.023, 0.008, 0.066, 0.019)
signed <- wilcox.test(gaps, exact = TRUE)
sign <- binom.test(sum(scores[, 1] < scores[, 2]), nrow(scores))$p.value
# Demsar 2006: q / sqrt(2) of the studentised range with infinite degrees of freedom.
nemenyi <- qtukey(0.95, 3, Inf) / sqrt(2) * sqrt(3 * 4 / (6 * nrow(scores)))

cat("{\n", paste(c(
  field("source", paste0("\"", R.version.string, ", package stats\"")),
  field("counts", paste0("[", paste(sapply(counts, vector), collapse = ", "), "]")),
  field("exact", vector(exact)), field("wilson", vector(wilson)),
  field("two", paste0("[", paste(sapply(two, vector), collapse = ", "), "]")),
  field("wald_difference", vector(wald_difference)),
  field("first", vector(first)), field("second", vector(second)),
  field("paired", vector(c(paired$statistic, paired$p.value, paired$conf.int))),
  field("corrected", vector(c(corrected, corrected_p, mean(difference) - half, mean(difference) + half))),
  field("mcnemar", vector(c(mcnemar_exact, mcnemar_plain, mcnemar_corrected))),
  field("scores", vector(t(scores))),
  field("friedman", vector(c(ranks$statistic, ranks$p.value))),
  field("p", vector(p)), field("holm", vector(p.adjust(p, "holm"))), field("bonferroni", vector(p.adjust(p, "bonferroni"))),
  field("gaps", vector(gaps)), field("wilcoxon", vector(c(signed$statistic, signed$p.value))), field("sign", vector(sign)),
  field("nemenyi", vector(nemenyi))
), collapse = ",\n"), "\n}\n", sep = "")
