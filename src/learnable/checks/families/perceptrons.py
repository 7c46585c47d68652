"""Learners that would go on to the end of their budget where classes overlap, with a smaller one."""

from learnable.checks.registry import register


def hurried_perceptron():
    """Checks of scikit-learn ask for accuracy after the budget is spent: enough for them."""
    from learnable.linear import RandomMisclassifiedPerceptron

    return RandomMisclassifiedPerceptron(max_iter=300)


def hurried_kernel_perceptron():
    """As above, in the features of a kernel."""
    from learnable.kernels import KernelPerceptron

    return KernelPerceptron(max_iter=100)


def few_draws():
    """Every draw is like every other."""
    from learnable.linear import RandomLinearClassifier

    return RandomLinearClassifier(n_draws=60)


register("RandomLinearClassifier", make=few_draws)
register("RandomMisclassifiedPerceptron", make=hurried_perceptron)
register("KernelPerceptron", make=hurried_kernel_perceptron)
