suppressMessages(library(e1071))
n <- function(x) if (is.matrix(x)) paste0("[", paste(apply(x, 1, n), collapse=", "), "]") else paste0("[", paste(ifelse(is.na(x), "null", format(x, digits=17, trim=TRUE)), collapse=", "), "]")
X <- as.matrix(iris[, 1:4]); dimnames(X) <- NULL; y <- iris$Species
holes <- X; holes[cbind(seq(3, 150, by=11), rep_len(1:4, 14))] <- NA
at <- seq(1, 150, by=7)
g <- naiveBayes(X, y)
h <- naiveBayes(holes, y)
posterior <- function(m, newdata) n(unname(predict(m, newdata, type="raw", threshold=0)))
table_of <- function(m, k) n(do.call(rbind, lapply(m$tables, function(t) unname(t[, k]))))
D <- as.data.frame(Titanic); D <- D[rep(seq_len(nrow(D)), D$Freq), 1:4]
D$Age[seq(5, nrow(D), by=97)] <- NA
t0 <- naiveBayes(Survived ~ ., data=D, na.action=na.pass)
t2 <- naiveBayes(Survived ~ ., data=D, laplace=2, na.action=na.pass)
code <- function(f) as.integer(f) - 1L
C <- cbind(code(D$Class), code(D$Sex), code(D$Age))
row <- function(m) paste0("[", paste(sapply(m$tables, function(t) n(unname(as.matrix(t)))), collapse=", "), "]")
every <- expand.grid(Class=levels(D$Class), Sex=levels(D$Sex), Age=c(levels(D$Age), NA))
cat("{\n \"source\": \"", R.version.string, ", e1071 ", as.character(packageVersion("e1071")), "; data: R's iris and Titanic, with cells made missing\",\n", sep="")
cat(" \"iris\": ", n(X), ",\n \"species\": ", n(as.integer(y) - 1L), ",\n \"holes\": ", n(holes), ",\n \"rows\": ", n(at - 1L), ",\n", sep="")
cat(" \"mean\": ", table_of(g, 1), ",\n \"sd\": ", table_of(g, 2), ",\n \"posterior\": ", posterior(g, X[at, ]), ",\n", sep="")
cat(" \"mean_holes\": ", table_of(h, 1), ",\n \"sd_holes\": ", table_of(h, 2), ",\n", sep="")
cat(" \"posterior_holes\": ", posterior(h, holes[at, ]), ",\n", sep="")
K <- aggregate(rep(1, nrow(C)), by=list(C[, 1], C[, 2], ifelse(is.na(C[, 3]), -1, C[, 3]), code(D$Survived)), FUN=sum)
cat(" \"titanic\": ", n(as.matrix(K)), ",\n \"tables\": ", row(t0), ",\n \"tables_laplace_2\": ", row(t2), ",\n", sep="")
cat(" \"every\": ", n(cbind(code(every$Class), code(every$Sex), code(every$Age))), ",\n", sep="")
cat(" \"titanic_posterior\": ", posterior(t0, every), ",\n \"titanic_posterior_laplace_2\": ", posterior(t2, every), "\n}\n", sep="")
