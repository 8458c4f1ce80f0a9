"""Models of scikit-learn on the data that come with it, by cross-validation on fixed folds. Their least losses are unknown.

Every model has a fixed seed, so that a loss is a function of the parameters. None is NaN: a model that fails to fit has
the loss of one that knows nothing.
"""
import math
import warnings

from space import category, real, whole


def loss(make, load, scoring, worst):
    """The mean loss of three folds."""
    from sklearn.model_selection import KFold, cross_val_score

    x, y = load(return_X_y=True)
    folds = KFold(3, shuffle=True, random_state=0)

    def value(point):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = -cross_val_score(make(*point), x, y, cv=folds, scoring=scoring).mean()
            except ValueError:
                return worst
        return float(found) if math.isfinite(found) and found < worst else worst

    return value


def svr_diabetes():
    from sklearn.datasets import load_diabetes
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVR

    space = [real("c", 1e-2, 1e4, log=True), real("gamma", 1e-5, 10, log=True), real("epsilon", 1e-2, 100, log=True)]
    make = lambda c, gamma, epsilon: make_pipeline(  # noqa: E731
        StandardScaler(), SVR(C=c, gamma=gamma, epsilon=epsilon, max_iter=20_000))
    return space, loss(make, load_diabetes, "neg_mean_squared_error", 6000.0)


def tree_breast():
    from sklearn.datasets import load_breast_cancer
    from sklearn.tree import DecisionTreeClassifier

    space = [category("criterion", ["gini", "entropy"]), whole("max_depth", 1, 15),
             real("min_samples_split", 0.005, 0.5, log=True), real("min_samples_leaf", 0.005, 0.4, log=True),
             real("max_features", 0.05, 1.0), real("min_impurity_decrease", 1e-4, 0.3, log=True)]
    make = lambda criterion, depth, split, leaf, features, impurity: DecisionTreeClassifier(  # noqa: E731
        criterion=criterion, max_depth=depth, min_samples_split=split, min_samples_leaf=leaf, max_features=features,
        min_impurity_decrease=impurity, random_state=0)
    return space, loss(make, load_breast_cancer, "neg_log_loss", 3.0)


def net_wine():
    from sklearn.datasets import load_wine
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    space = [category("activation", ["relu", "tanh", "logistic"]), whole("width", 2, 64, log=True),
             real("alpha", 1e-6, 10, log=True), real("rate", 1e-4, 0.3, log=True), whole("batch", 8, 118, log=True),
             real("momentum", 0.1, 0.99)]
    make = lambda activation, width, alpha, rate, batch, momentum: make_pipeline(  # noqa: E731
        StandardScaler(), MLPClassifier(hidden_layer_sizes=(width,), activation=activation, alpha=alpha,
                                        learning_rate_init=rate, batch_size=batch, beta_1=momentum, max_iter=15,
                                        random_state=0))
    return space, loss(make, load_wine, "neg_log_loss", 3.0)


def boost_diabetes():
    from sklearn.datasets import load_diabetes
    from sklearn.ensemble import GradientBoostingRegressor

    space = [real("rate", 1e-3, 1.0, log=True), whole("trees", 5, 100, log=True), whole("depth", 1, 5),
             whole("leaf", 1, 50, log=True), real("subsample", 0.3, 1.0), real("features", 0.1, 1.0)]
    make = lambda rate, trees, depth, leaf, subsample, features: GradientBoostingRegressor(  # noqa: E731
        learning_rate=rate, n_estimators=trees, max_depth=depth, min_samples_leaf=leaf, subsample=subsample,
        max_features=features, random_state=0)
    return space, loss(make, load_diabetes, "neg_mean_squared_error", 8000.0)
