"""Ensembles small enough to be checked tree by tree."""

from learnable.checks.registry import register


def made(name: str, **parameters):
    """A function that makes an estimator of the ensembles."""

    def make():
        import learnable.ensembles

        return getattr(learnable.ensembles, name)(**parameters)

    return make


# Threads go over trees: few rows give them work.
for forest in ("RandomForestClassifier", "RandomForestRegressor"):
    register(forest, make=made(forest, n_estimators=16, max_depth=3, oob_score=True), copies=3)
for forest in ("ExtraTreesClassifier", "ExtraTreesRegressor"):
    register(forest, make=made(forest, n_estimators=3, max_depth=3), copies=3)
for booster in ("HistGradientBoostingClassifier", "HistGradientBoostingRegressor"):
    register(booster, make=made(booster, max_iter=5, learning_rate=0.4), infinite=True)


def other_stump(model):
    """A threshold of minus infinity is no number to alter: these are other stumps."""
    import copy

    for name, change in (("sign_", lambda sign: -sign), ("threshold_", lambda threshold: threshold + 0.37)):
        altered = copy.deepcopy(model)
        setattr(altered, name, change(getattr(model, name)))
        yield f"another {name}", altered


for booster in ("GradientBoostingClassifier", "GradientBoostingRegressor"):
    register(booster, make=made(booster, n_estimators=4, learning_rate=0.5))
for bag in ("BaggingClassifier", "BaggingRegressor"):
    register(bag, make=made(bag, n_estimators=3), copies=3)
register("DecisionStump", altered=other_stump)
register("AdaBoostClassifier", make=made("AdaBoostClassifier", n_estimators=12))
