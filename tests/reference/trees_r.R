# Trees of rpart and boosted trees of gbm, with the tables they were grown on.
# Rscript tests/reference/trees_r.R > tests/reference/trees_r.json
# rpart 4.1.19, gbm 2.1.8.1, R 4.2

suppressMessages({library(rpart); library(gbm)})

written <- function(x) {
  if (is.list(x) && !is.null(names(x)))
    return(paste0("{", paste0('"', names(x), '": ', sapply(x, written), collapse = ",\n"), "}"))
  if (is.list(x)) return(paste0("[", paste(sapply(x, written), collapse = ",\n"), "]"))
  if (is.matrix(x)) return(paste0("[", paste(apply(x, 1, written), collapse = ", "), "]"))
  if (is.character(x)) return(paste0('"', x, '"'))
  text <- sprintf("%.12g", x)
  if (length(x) == 1) text else paste0("[", paste(text, collapse = ", "), "]")
}

numbers <- function(x) unname(round(x, 12))

friedman <- function(n) {
  set.seed(7)
  X <- matrix(round(runif(n * 5), 4), n, 5)
  y <- 10 * sin(pi * X[, 1] * X[, 2]) + 20 * (X[, 3] - 0.5)^2 + 10 * X[, 4] + 5 * X[, 5] + rnorm(n)
  data.frame(X, y = round(y, 6))
}

grown <- function(frame, method, minsplit, minbucket) {
  # With cp = 0 a split that does not lower the number of mistakes would be taken back.
  control <- rpart.control(minsplit = minsplit, minbucket = minbucket, cp = if (method == "class") -1 else 0,
                           xval = 0, maxcompete = 0,
                           maxsurrogate = 0, usesurrogate = 0)
  rpart(y ~ ., frame, method = method, control = control)
}

of_numbers <- function(frame, minsplit, minbucket) {
  tree <- grown(frame, "anova", minsplit, minbucket)
  leaf <- tree$frame$var == "<leaf>"
  list(X = as.matrix(unname(frame[, names(frame) != "y"])), y = frame$y, minsplit = minsplit, minbucket = minbucket,
       predicted = numbers(predict(tree)), leaves = sum(leaf), sizes = sort(tree$frame$n[leaf]),
       deviance = numbers(tree$frame$dev[1]), cp = numbers(tree$cptable[, "CP"]),
       splits = unname(tree$cptable[, "nsplit"]), error = numbers(tree$cptable[, "rel error"]))
}

of_classes <- function(frame, minsplit, minbucket) {
  tree <- grown(frame, "class", minsplit, minbucket)
  leaf <- tree$frame$var == "<leaf>"
  list(X = as.matrix(unname(frame[, names(frame) != "y"])), y = as.integer(frame$y) - 1, minsplit = minsplit,
       minbucket = minbucket, probabilities = unname(round(predict(tree), 12)), leaves = sum(leaf),
       sizes = sort(tree$frame$n[leaf]))
}

boosted <- function(frame, distribution, depth) {
  set.seed(1)
  model <- gbm(y ~ ., data = frame, distribution = distribution, n.trees = 8, interaction.depth = depth,
               shrinkage = 0.1, bag.fraction = 1, n.minobsinnode = 10)
  list(depth = depth, distribution = distribution, y = frame$y,
       score = numbers(predict(model, frame, n.trees = 8, type = "link")))
}

simulated <- friedman(120)
cars <- data.frame(unname(mtcars[, -1]), y = mtcars$mpg)
names(cars) <- c(paste0("x", 1:10), "y")
flowers <- data.frame(unname(iris[, 1:4]), y = iris$Species)
names(flowers) <- c(paste0("x", 1:4), "y")
halves <- transform(simulated, y = as.integer(y > median(y)))
cat(written(list(
  source = paste("rpart", packageVersion("rpart"), "gbm", packageVersion("gbm"), R.version.string),
  numbers = list(simulated = of_numbers(simulated, 20, 7), cars = of_numbers(cars, 8, 3)),
  classes = list(flowers = of_classes(flowers, 10, 4)),
  boosting = list(boosted(simulated, "gaussian", 1), boosted(simulated, "gaussian", 3), boosted(halves, "bernoulli", 2))
)))
