"""Trees as text, as rules, as pictures, and the rule behind one prediction."""

from abc import abstractmethod
from html import escape
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from learnable.problems.trees.tree import LEAF, Tree, goes_left
from learnable.trees.scikit_learn import tree_as_estimator


class Drawn:
    """Mixin: what a fitted tree can say about itself. Names come from the data and are escaped in pictures."""

    tree_: Tree

    def to_text(self) -> str:
        """The tree in indented lines."""
        check_is_fitted(self)
        lines: list[str] = []
        stack = [(0, 0, "")]
        while stack:
            node, depth, condition = stack.pop()
            says = f": {self._says(node)}" if self.tree_.children_left[node] == LEAF else ""
            if depth or says:
                lines.append("  " * (depth - 1) + (condition or "always") + says)
            if self.tree_.children_left[node] != LEAF:
                left, right = self._conditions(node)
                stack.append((int(self.tree_.children_right[node]), depth + 1, right))
                stack.append((int(self.tree_.children_left[node]), depth + 1, left))
        return "\n".join(lines)

    def to_rules(self) -> list[str]:
        """One line a leaf: if … and … then …."""
        check_is_fitted(self)
        rules = []
        stack: list[tuple[int, tuple[str, ...]]] = [(0, ())]
        while stack:
            node, conditions = stack.pop()
            if self.tree_.children_left[node] == LEAF:
                rules.append(f"if {' and '.join(conditions) or 'anything'} then {self._says(node)}")
                continue
            left, right = self._conditions(node)
            stack.append((int(self.tree_.children_right[node]), (*conditions, right)))
            stack.append((int(self.tree_.children_left[node]), (*conditions, left)))
        return rules

    def explain(self, x) -> str:
        """The rule by which one row is predicted."""
        cells = self._cells(np.asarray(x, dtype=object if np.asarray(x).dtype == object else None).reshape(1, -1))
        node, conditions = 0, []
        while self.tree_.children_left[node] != LEAF:
            left = bool(goes_left(self.tree_, node, cells[:, self.tree_.feature[node]])[0])
            conditions.append(self._conditions(node)[0 if left else 1])
            node = int((self.tree_.children_left if left else self.tree_.children_right)[node])
        return f"if {' and '.join(conditions) or 'anything'} then {self._says(node)}"

    def to_scikit_learn(self) -> Any:
        """The tree as scikit-learn's `DecisionTreeClassifier` or `DecisionTreeRegressor`.

        scikit-learn compares cells in single precision: a cell within a rounding of a threshold may go the other way.
        """
        import sklearn.tree

        check_is_fitted(self)
        kind = sklearn.tree.DecisionTreeClassifier if hasattr(self, "classes_") else sklearn.tree.DecisionTreeRegressor
        return tree_as_estimator(self, kind)

    def to_svg(self) -> str:
        """The tree as a picture: one box a node, children below."""
        check_is_fitted(self)
        place = _places(self.tree_)
        wide, high = 150, 74
        width, height = wide * (max(x for x, _ in place) + 1), high * (max(y for _, y in place) + 1)
        boxes, lines = [], []
        for node, (x, y) in enumerate(place):
            leaf = self.tree_.children_left[node] == LEAF
            text = self._says(node) if leaf else self._conditions(node)[0]
            centre, top = wide * (x + 0.5), high * y + 6
            boxes.append(
                f'<rect x="{centre - 68:g}" y="{top:g}" width="136" height="42" rx="5" '
                f'fill="{"#e8f1e4" if leaf else "#f4f4f8"}" stroke="#666"/>'
                f'<text x="{centre:g}" y="{top + 18:g}">{escape(_short(text))}</text>'
                f'<text x="{centre:g}" y="{top + 34:g}" fill="#555">{int(self.tree_.n_node_samples[node])} rows</text>'
            )
            if not leaf:
                for child in (self.tree_.children_left[node], self.tree_.children_right[node]):
                    cx, cy = place[child]
                    lines.append(
                        f'<line x1="{centre:g}" y1="{top + 42:g}" x2="{wide * (cx + 0.5):g}" y2="{high * cy + 6:g}" '
                        'stroke="#999"/>'
                    )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" font-family="sans-serif" font-size="11" text-anchor="middle">'
            + "".join(lines) + "".join(boxes) + "</svg>"
        )  # fmt: skip

    @abstractmethod
    def _cells(self, X) -> np.ndarray:
        """The table as numbers, categories as their codes."""

    def _name(self, feature: int) -> str:
        names = getattr(self, "feature_names_in_", None)
        return f"x{feature}" if names is None else str(names[feature])

    def _conditions(self, node: int) -> tuple[str, str]:
        """The conditions of the left and of the right child."""
        name, tree = self._name(int(tree_feature(self.tree_, node))), self.tree_
        missing_left = bool(tree.missing_go_to_left[node])
        if tree.category_row[node] >= 0:
            values = self.categories_[tree.feature[node]]  # type: ignore[attr-defined]
            table = tree.category_left[tree.category_row[node]][: len(values)]
            sides = [", ".join(str(value) for value, left in zip(values, table) if left == side) for side in (1, 0)]
            texts = [f"{name} in {{{side}}}" for side in sides]
        elif np.isinf(tree.threshold[node]):
            return (f"{name} is known", f"{name} is missing")
        else:
            texts = [f"{name} <= {tree.threshold[node]:.6g}", f"{name} > {tree.threshold[node]:.6g}"]
        return texts[0] + (" or missing" if missing_left else ""), texts[1] + ("" if missing_left else " or missing")

    def _says(self, node: int) -> str:
        """What a node says, of several outputs one after the other."""
        values = self.tree_.value[node]
        classes: Any = getattr(self, "classes_", None)
        if classes is None:
            return ", ".join(f"{value[0]:.6g}" for value in values)
        each = classes if len(values) > 1 else [classes]
        return ", ".join(f"{names[value.argmax()]} ({value.max():.0%})" for names, value in zip(each, values))


def tree_feature(tree: Tree, node: int) -> int:
    return int(tree.feature[node])


def _short(text: str, most: int = 24) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _places(tree: Tree) -> list[tuple[float, int]]:
    """Column and row of every node: leaves side by side, parents above the middle of their children."""
    place: list[tuple[float, int]] = [(0.0, 0)] * tree.node_count
    depths = tree.depths
    column = 0.0
    stack = [(0, False)]
    while stack:
        node, done = stack.pop()
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left == LEAF:
            place[node] = (column, int(depths[node]))
            column += 1.0
        elif done:
            place[node] = (0.5 * (place[left][0] + place[right][0]), int(depths[node]))
        else:
            stack += [(node, True), (right, False), (left, False)]
    return place
