# Fits paths of glmnet on one problem, as often as it is asked to; the clock runs around glmnet() alone.
# Arguments: a folder with X, y and lambda (doubles; X by columns), rows, columns, penalties, the share of the L1 norm.
# A line on standard input is a threshold; the answer is a line with seconds, and the file "coef": every penalty's
# intercept and coefficients.
if (!suppressMessages(require(glmnet, quietly = TRUE))) {
  cat("glmnet is not installed\n")
  quit(status = 3)
}
given <- commandArgs(trailingOnly = TRUE)
folder <- given[1]
n <- as.integer(given[2])
p <- as.integer(given[3])
k <- as.integer(given[4])
share <- as.numeric(given[5])
numbers <- function(name, count) readBin(file.path(folder, name), "double", count)
X <- matrix(numbers("X", n * p), n, p)
y <- numbers("y", n)
lambda <- numbers("lambda", k)
unlink(file.path(folder, c("X", "y", "lambda")))  # whoever is ended before its time leaves nothing large behind
glmnet.control(fdev = 0, devmax = 1)
cat("ready\n")
questions <- file("stdin", "r")
while (length(question <- readLines(questions, n = 1)) == 1) {
  thresh <- as.numeric(question)
  start <- Sys.time()
  fit <- glmnet(X, y, alpha = share, lambda = lambda, standardize = FALSE, thresh = thresh, maxit = 1e9)
  seconds <- as.numeric(difftime(Sys.time(), start, units = "secs"))
  if (length(fit$lambda) == k) {
    writeBin(as.vector(rbind(fit$a0, as.matrix(fit$beta))), file.path(folder, "coef"))
    cat(format(seconds, digits = 15), "\n")
  } else {
    cat("glmnet gave", length(fit$lambda), "of", k, "solutions\n")
  }
}
