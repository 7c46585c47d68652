# Values for tests/reference/test_sequences.py. Run: Rscript markov_chain_r.R > markov_chain_r.json
library(markovchain)
sequences <- list(c(0,0,1,2,1,0,0,2,2,1), c(1,1,0,2,0,0,1), c(2,0,1,1,2,2,2,0))
as_rows <- function(m) paste0("[", paste(apply(m, 1, function(r) paste0("[", paste(sprintf("%.17g", r), collapse=","), "]")), collapse=","), "]")
texts <- lapply(sequences, as.character)
mle <- markovchainFit(texts, method="mle")$estimate
laplace <- markovchainFit(texts[[1]], method="laplace", laplacian=1)$estimate
classes <- new("markovchain", states=c("0","1","2","3","4"), transitionMatrix=matrix(c(
  0.5,0.5,0,0,0,  0.25,0.75,0,0,0,  0.1,0,0.2,0.3,0.4,  0,0,0,0,1,  0,0,0,1,0), byrow=TRUE, nrow=5))
cat(sprintf('{"source": "R %s, markovchain %s",\n', paste(R.version$major, R.version$minor, sep="."), packageVersion("markovchain")))
cat(sprintf(' "mle": %s,\n "laplace": %s,\n "steady": %s,\n "class_steady": %s}\n', as_rows(mle@transitionMatrix),
  as_rows(laplace@transitionMatrix), as_rows(steadyStates(mle)), as_rows(steadyStates(classes))))
