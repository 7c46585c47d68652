# Values for tests/reference/test_sequences.py, by the R package HMM 1.0.1 (a die that is sometimes loaded).
# Rscript hidden_markov_r.R > hidden_markov_r.json
# The values were made with the functions of HMM's published source, less its handling of missing entries.
library(HMM)
states <- c("fair", "loaded")
symbols <- as.character(1:6)
casino <- initHMM(states, symbols, startProbs = c(0.6, 0.4), transProbs = rbind(c(0.95, 0.05), c(0.1, 0.9)),
  emissionProbs = rbind(rep(1 / 6, 6), c(rep(0.1, 5), 0.5)))
throws <- strsplit("31511624646663666636616532142536126664362166662616546662532", "")[[1]]
number <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
rows <- function(m) paste0("[", paste(apply(m, 1, number), collapse = ", "), "]")
last <- forward(casino, throws)[, length(throws)]
learnt <- baumWelch(casino, throws, maxIterations = 5)$hmm
smooth <- baumWelch(casino, throws, maxIterations = 5, pseudoCount = 0.5)$hmm
cat(sprintf(paste0('{"source": "R %s, HMM 1.0.1",\n "throws": %s,\n "log_likelihood": %.17g,\n "posterior": %s,\n "path": %s,\n',
  ' "five_steps": {"transmat": %s, "emissionprob": %s},\n "with_half_a_count": {"transmat": %s, "emissionprob": %s}}\n'),
  getRversion(), number(as.numeric(throws) - 1), max(last) + log(sum(exp(last - max(last)))), rows(posterior(casino, throws)),
  number(match(viterbi(casino, throws), states) - 1), rows(learnt$transProbs), rows(learnt$emissionProbs),
  rows(smooth$transProbs), rows(smooth$emissionProbs)))
