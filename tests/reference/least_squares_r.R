suppressMessages({library(car); library(systemfit); library(MASS)})
d <- mtcars[, c("mpg","wt","hp","qsec","disp","drat")]; n <- nrow(d)
w <- rep(c(0.5, 1, 2, 3), 8); w[5] <- 0
p <- function(x) paste0("[", paste(format(x, digits=17, trim=TRUE), collapse=", "), "]")
lmout <- function(m) {
  s <- summary(m); f <- s$fstatistic; ci <- confint(m, level=0.9)
  paste0("{\"estimate\": ", p(s$coefficients[,1]), ", \"standard_error\": ", p(s$coefficients[,2]), ", \"t\": ", p(s$coefficients[,3]),
    ", \"p_value\": ", p(s$coefficients[,4]), ", \"lower\": ", p(ci[,1]), ", \"upper\": ", p(ci[,2]),
    ", \"glance\": {\"r_squared\": ", format(s$r.squared, digits=17), ", \"adjusted_r_squared\": ", format(s$adj.r.squared, digits=17),
    ", \"sigma\": ", format(s$sigma, digits=17), ", \"f\": ", format(f[[1]], digits=17), ", \"f_p_value\": ", format(pf(f[[1]], f[[2]], f[[3]], lower.tail=FALSE), digits=17),
    ", \"log_likelihood\": ", format(as.numeric(logLik(m)), digits=17), ", \"aic\": ", format(AIC(m), digits=17), ", \"bic\": ", format(BIC(m), digits=17), ", \"df_residual\": ", m$df.residual, "}}")
}
m <- lm(mpg ~ wt + hp + qsec, d); mw <- lm(mpg ~ wt + hp + qsec, d, weights=w); m0 <- lm(mpg ~ 0 + wt + hp + qsec, d)
long <- lm(Employed ~ ., longley)
sur <- systemfit(list(a = mpg ~ wt + hp, b = qsec ~ disp, c = drat ~ wt + disp), "SUR", data=d, methodResidCov="noDfCor", maxiter=2000, tol=1e-14)
one <- systemfit(list(a = mpg ~ wt + hp, b = qsec ~ disp, c = drat ~ wt + disp), "SUR", data=d, methodResidCov="noDfCor", maxiter=1)
cat("{\n \"source\": \"", R.version.string, ", car ", as.character(packageVersion("car")), ", systemfit ", as.character(packageVersion("systemfit")), "; data: R's mtcars and longley\",\n", sep="")
for (v in names(d)) cat(" \"", v, "\": ", p(d[[v]]), ",\n", sep="")
cat(" \"weight\": ", p(w), ",\n \"lm\": ", lmout(m), ",\n \"lm_weighted\": ", lmout(mw), ",\n \"lm_no_intercept\": ", lmout(m0), ",\n \"vif\": ", p(vif(m)), ",\n", sep="")
cat(" \"longley_X\": [", paste(apply(longley[,1:6], 1, p), collapse=", "), "],\n \"longley_y\": ", p(longley$Employed), ",\n \"longley\": ", lmout(long), ",\n", sep="")
cat(" \"sur\": ", p(coef(sur)), ",\n \"sur_standard_error\": ", p(sqrt(diag(vcov(sur)))), ",\n \"sur_sigma\": ", p(as.vector(sur$residCovEst)), ",\n \"sur_one_step\": ", p(coef(one)), "\n}\n", sep="")
