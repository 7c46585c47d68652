# kmeans (Lloyd) from given centres, prcomp and hclust on R's iris.
n <- function(x) if (is.matrix(x)) paste0("[", paste(apply(x, 1, n), collapse=", "), "]") else paste0("[", paste(format(x, digits=17, trim=TRUE), collapse=", "), "]")
X <- as.matrix(iris[, 1:4]); dimnames(X) <- NULL
Y <- X + 1e-2 * sin(outer(1:150, 1:4))  # without ties, which would leave the tree to the order of the merges
at <- c(1, 60, 120)
k <- kmeans(X, X[at, ], iter.max=100, algorithm="Lloyd")
p <- prcomp(X)
cat("{\n \"source\": \"", R.version.string, ", stats; data: R's iris\",\n", sep="")
cat(" \"X\": ", n(X), ",\n \"start\": ", n(at - 1L), ",\n", sep="")
cat(" \"kmeans_centres\": ", n(unname(k$centers)), ",\n \"kmeans_withinss\": ", n(k$withinss), ",\n \"kmeans_labels\": ", n(k$cluster - 1L), ",\n", sep="")
cat(" \"prcomp_sdev\": ", n(p$sdev), ",\n \"prcomp_rotation\": ", n(unname(t(p$rotation))), ",\n", sep="")
for (m in c("single", "complete", "average", "ward.D2"))
  cat(" \"hclust_", m, "\": ", n(hclust(dist(Y), m)$height), ",\n", sep="")
cat(" \"cutree_average\": ", n(cutree(hclust(dist(Y), "average"), 3) - 1L), "\n}\n", sep="")
