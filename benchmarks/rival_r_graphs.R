# One job of R's pcalg or glasso; the clocks run around the call alone.
# Arguments: "pcalg" or "glasso", a folder with the numbers of a square matrix (doubles), its size, and
# rows and level of the tests, or penalty and threshold. Prints seconds of the clock and of the processor; the answer
# is the file "answer".
given <- commandArgs(trailingOnly = TRUE)
if (!suppressWarnings(suppressMessages(require(given[1], quietly = TRUE, character.only = TRUE)))) quit(status = 3)
p <- as.integer(given[3])
S <- matrix(readBin(file.path(given[2], "matrix"), "double", p * p), p, p)
one <- as.numeric(given[4])
two <- as.numeric(given[5])
spent <- system.time(
  if (given[1] == "pcalg") {
    found <- as(skeleton(list(C = S, n = one), gaussCItest, two, p = p, method = "stable.fast")@graph, "matrix")
  } else {
    found <- glasso(S, one, thr = two, maxit = 1e5, penalize.diagonal = FALSE)$wi
  }
)
writeBin(as.vector(found), file.path(given[2], "answer"))
cat(sprintf("%.6f %.6f\n", spent[["elapsed"]], spent[["user.self"]] + spent[["sys.self"]]))
