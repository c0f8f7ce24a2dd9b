"""Canonical texts of nodes: equal for equal values, in whichever order an equation has its parts."""

from whorl.equations.exact import exact
from whorl.equations.multipliers import Form, Normal
from whorl.expressions.nodes import Node, within
from whorl.expressions.operations import OPERATIONS


class Writer:
    """Texts of nodes, each worked out once."""

    def __init__(self, normal: Normal):
        self.normal = normal
        self.forms: dict[Node, Form] = {}
        self._texts: dict[Node, str] = {}

    def form(self, node: Node) -> Form:
        """The normal form of a linear node."""
        if node not in self.forms:
            self.forms[node] = self.normal.form(node.value)
        return self.forms[node]

    def text(self, node: Node) -> str:
        """The canonical text."""
        for one in within(node):
            if one not in self._texts:
                self._texts[one] = self._written(one)
        return self._texts[node]

    def _written(self, node: Node) -> str:
        if node.kind == "constant":
            return str(exact(node.value))
        if node.kind == "number":
            return node.value if isinstance(node.value, str) else f"mean({self.text(node.value)})"
        if node.kind == "coordinate":
            return "xyz"[node.value]
        if node.kind == "linear":
            return f"form{self.form(node)}"
        arguments = [self._texts[one] for one in node.arguments]
        if OPERATIONS[node.kind].commutes:
            arguments.sort()
        return f"{node.kind}({', '.join(arguments)})"
