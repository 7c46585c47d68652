suppressMessages({library(ipred); library(boot); library(class); library(MASS)})
d <- mtcars[, c("mpg","wt","hp","am")]; n <- nrow(d)
set.seed(1); B <- 12
tindx <- lapply(1:B, function(b) sample(1:n, n, replace=TRUE))
f <- data.frame(y=factor(d$am), wt=d$wt, hp=d$hp/100)
g <- data.frame(y=factor((1:n) %% 2), mpg=d$mpg, hp=d$hp/10)
knn1 <- function(formula, data, ...) { tr <- data; function(newdata) knn(tr[,-1], newdata[,-1], tr$y, k=1) }
p <- function(x) paste0("[", paste(format(x, digits=17, trim=TRUE), collapse=", "), "]")
bt <- function(data, model, predict) ipred:::bootest.factor(data$y, y~., data, model=model, predict=predict, list.tindx=tindx, bc632plus=TRUE, both.boot=TRUE)
a <- bt(f, knn1, NULL)
b <- bt(f, function(formula, data, ...) lda(formula, data=data), function(o, newdata) predict(o, newdata)$class)
c2 <- bt(g, knn1, NULL)
l1 <- lm(mpg ~ wt, d); l2 <- lm(mpg ~ wt + hp, d); l3 <- lm(mpg ~ wt + hp + am, d)
b1 <- glm(am ~ wt, binomial, d, control=glm.control(epsilon=1e-14, maxit=100))
loo <- cv.glm(d, glm(mpg ~ wt + hp, data=d))$delta[1]
s2 <- summary(l3)$sigma^2
cat("{\n \"source\": \"", R.version.string, ", ipred ", as.character(packageVersion("ipred")), ", boot ", as.character(packageVersion("boot")), ", MASS ", as.character(packageVersion("MASS")), ", class ", as.character(packageVersion("class")), "; data: R's mtcars\",\n", sep="")
for (v in names(d)) cat(" \"", v, "\": ", p(d[[v]]), ",\n", sep="")
cat(" \"bootstrap_indices_from_0\": [", paste(sapply(tindx, function(t) p(t-1)), collapse=",\n  "), "],\n", sep="")
q <- function(r) paste0("{\"leave_one_out\": ", format(r$boot$error, digits=17), ", \"point632plus\": ", format(r$`632plus`$error, digits=17), "}")
cat(" \"nearest_neighbour\": ", q(a), ",\n \"lda\": ", q(b), ",\n \"noise_neighbour\": ", q(c2), ",\n", sep="")
cat(" \"aic\": ", p(c(AIC(l1), AIC(l2), AIC(l3), AIC(b1))), ",\n \"bic\": ", p(c(BIC(l1), BIC(l2), BIC(l3), BIC(b1))), ",\n", sep="")
cat(" \"mallows_original\": ", p(sapply(list(l1,l2,l3), function(l) extractAIC(l, scale=s2)[2])), ",\n \"loo\": ", format(loo, digits=17), "\n}\n", sep="")
