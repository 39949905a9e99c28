"""Small changes of a program, for ``mutants.py``: one operator, constant, comparison or call.

Left alone is what changes no behaviour: annotations, decorators, bases of classes, ``__all__``,
``TYPE_CHECKING`` blocks, assertions, and texts with what they show.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_OPERATORS = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "*"),
    ast.Pow: ("**", "*"),
    ast.BitOr: ("|", "&"),
    ast.BitAnd: ("&", "|"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}
_COMPARISONS = {
    ast.Lt: ("<", "<=", ">="),
    ast.LtE: ("<=", "<", ">"),
    ast.Gt: (">", ">=", "<="),
    ast.GtE: (">=", ">", "<"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_SWAPPED = {"min": "max", "max": "min", "any": "all", "all": "any", "and_": "or_", "or_": "and_"}
_CONVERTED = {"abs", "sorted", "reversed", "set", "dict", "int", "float", "str", "round", "bool"}
_CONVERTED |= {"replace", "sum", "deepcopy"}
"""Functions whose first argument is often taken for their result; all of imported modules too."""
_CHAINED = {"where", "order_by", "group_by", "having", "limit", "offset", "distinct", "join"}
_CHAINED |= {"strip", "lower", "sum", "clip", "union", "removeprefix", "removesuffix"}
"""Methods without which what they are called on is of the same kind."""
_NOT_CODE = {"annotation", "returns", "decorator_list", "bases", "keywords", "type_params"}


@dataclass(frozen=True)
class Mutation:
    """One change of a file."""

    file: str
    kind: str
    """Operator, constant, comparison or call."""
    scope: str
    """Qualified name of the function or class; empty at module level."""
    change: str
    statement: str
    """The statement, or the head of a compound one, as ``ast`` writes it."""
    node: str
    """What is changed in it, likewise."""
    ordinal: int
    """Among equal changes of the function."""
    span: tuple[int, int]
    new: bytes
    lines: range
    """Of the statement."""
    at_import: bool

    def identity(self) -> list[object]:
        """What a mutation is recognised by in another version of its file."""
        return [self.file, self.scope, self.change, self.statement, self.node, self.ordinal]

    def apply(self, text: bytes) -> bytes:
        """The changed text of the file."""
        return text[: self.span[0]] + self.new + text[self.span[1] :]

    def is_one(self, text: bytes) -> bool:
        """Whether the changed text is another program."""
        try:
            return ast.dump(ast.parse(self.apply(text))) != ast.dump(ast.parse(text))
        except SyntaxError:
            return False

    def record(self, text: bytes) -> dict[str, object]:
        """The mutation with its lines before and after."""
        start = text.rfind(b"\n", 0, self.span[0]) + 1
        end = (text + b"\n").index(b"\n", self.span[1])
        grown = len(self.new) - (self.span[1] - self.span[0])
        before, after = text[start:end], self.apply(text)[start : end + grown]
        return {
            "kind": self.kind,
            "identity": self.identity(),
            "line": text.count(b"\n", 0, self.span[0]) + 1,
            "before": before.decode(),
            "after": after.decode(),
        }


@cache
def mutations(path: Path, tree: Path) -> list[Mutation]:
    """All changes of a file, in its order."""
    found: list[Mutation] = []
    equal: Counter[tuple[str, ...]] = Counter()
    for scope, statement, node, kind, change, span, new in _Finder(path.read_bytes()).changes():
        body = getattr(statement, "body", None)
        end = body[0].lineno - 1 if body else statement.end_lineno or 0
        head, part = _head(statement), _head(node)
        key = (".".join(scope), change, head, part)
        at_import = not any(map(_is_function, scope)) or isinstance(statement, ast.FunctionDef)
        lines = range(statement.lineno, max(end, statement.lineno) + 1)
        file = path.relative_to(tree).as_posix()
        found.append(Mutation(file, kind, *key, equal[key], span, new, lines, at_import))
        equal[key] += 1
    return found


@cache
def _head(node: ast.AST) -> str:
    return ast.unparse(node).split("\n")[0]


def _is_function(name: str) -> bool:
    return name.lstrip("_")[:1].islower()


Change = tuple[str, str, tuple[int, int], bytes]
Found = tuple[tuple[str, ...], ast.stmt, ast.AST, str, str, tuple[int, int], bytes]


class _Finder:
    """Finds the changes of a text."""

    def __init__(self, text: bytes) -> None:
        self.text, self.tree = text, ast.parse(text)
        self.starts = [0]
        for line in text.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.modules = {"func"} | {
            (alias.asname or alias.name).split(".")[0]
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Import)
            for alias in node.names
        }

    def changes(self) -> Iterator[Found]:
        """Each with its scope, its statement and its node."""
        for statement in self.tree.body:
            yield from self._walk(statement, (), statement)

    def _walk(self, node: ast.AST, scope: tuple[str, ...], statement: ast.stmt) -> Iterator[Found]:
        if isinstance(node, ast.JoinedStr | ast.Raise | ast.Assert | ast.Import | ast.ImportFrom):
            return
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if isinstance(node, ast.Assign) and "__all__" in ast.unparse(node.targets[0]):
            return
        if isinstance(node, ast.stmt):
            statement = node
        yield from ((scope, statement, node, *change) for change in self._of(node))
        inner = scope
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            inner = (*scope, node.name)
        for name, value in ast.iter_fields(node):
            if name in _NOT_CODE and not isinstance(node, ast.Call):
                continue
            if name == "keywords":
                value = [word for word in value if word.arg not in ("strict", "slots", "frozen")]
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from self._walk(child, inner if name == "body" else scope, statement)

    def _of(self, node: ast.AST) -> Iterator[Change]:
        match node:
            case ast.BinOp(left, op, right) if type(op) in _OPERATORS and not _is_text_or_type(
                node
            ):
                yield self._between(left, right, "operator", *_OPERATORS[type(op)])
            case ast.AugAssign(target, op, value) if type(op) in _OPERATORS:
                old, new = _OPERATORS[type(op)]
                yield self._between(target, value, "operator", f"{old}=", f"{new}=")
            case ast.BoolOp(op, values):
                for left, right in zip(values, values[1:], strict=False):
                    yield self._between(left, right, "operator", *_OPERATORS[type(op)])
            case ast.UnaryOp(ast.USub() | ast.Not() as op, operand):
                change = f"{'not' if isinstance(op, ast.Not) else 'minus'} removed"
                yield "operator", change, self._span(node), self._bytes(operand)
            case ast.Compare(left, ops, rights):
                for a, op, b in zip([left, *rights], ops, rights, strict=False):
                    old, *others = _COMPARISONS[type(op)]
                    for new in others:
                        yield self._between(a, b, "comparison", old, new)
            case ast.If(test) | ast.While(test) | ast.IfExp(test):
                yield from self._negated(test)
            case ast.comprehension(ifs=tests):
                for test in tests:
                    yield from self._negated(test)
            case ast.Constant(bool() as value):
                yield "constant", "bool flipped", self._span(node), str(not value).encode()
            case ast.Constant(int() | float() as value):
                for new, change in ((value + 1, "number + 1"), (value - 1, "number - 1")):
                    yield "constant", change, self._span(node), repr(new).encode()
            case ast.Expr(ast.Call()):
                yield "call", "call removed", self._span(node), b"pass"
            case ast.Call():
                yield from self._of_call(node)

    def _of_call(self, node: ast.Call) -> Iterator[Change]:
        first = node.args[0] if node.args and not isinstance(node.args[0], ast.Starred) else None
        match node.func:
            case ast.Name(name) if name in _SWAPPED:
                new = _SWAPPED[name]
                yield "call", f"{name} -> {new}", self._span(node.func), new.encode()
            case ast.Name(name) if first and name in _CONVERTED:
                yield "call", f"{name}() -> argument", self._span(node), self._bytes(first)
            case ast.Attribute(ast.Name(module), name) if first and module in self.modules:
                yield "call", f"{name}() -> argument", self._span(node), self._bytes(first)
            case ast.Attribute(receiver, name) if name in _CHAINED:
                if not isinstance(receiver, ast.Constant | ast.JoinedStr):
                    yield "call", f".{name}() removed", self._span(node), self._bytes(receiver)

    def _negated(self, test: ast.expr) -> Iterator[Change]:
        if not isinstance(test, ast.Compare | ast.UnaryOp):
            new = b"(not " + self._bytes(test) + b")"
            yield "operator", "not added", self._span(test), new

    def _between(self, left: ast.AST, right: ast.AST, kind: str, old: str, new: str) -> Change:
        """A token between two expressions, replaced."""
        start, end = self._span(left)[1], self._span(right)[0]
        pattern = re.escape(old).replace(r"\ ", r"\s+")
        token = re.search(pattern.encode(), self.text[start:end])
        assert token is not None
        span = (start + token.start(), start + token.end())
        return kind, f"{old} -> {new}", span, new.encode()

    def _span(self, node: ast.AST) -> tuple[int, int]:
        at = ast.expr, ast.stmt
        assert isinstance(node, at) and node.end_lineno is not None
        end = self.starts[node.end_lineno - 1] + (node.end_col_offset or 0)
        return self.starts[node.lineno - 1] + node.col_offset, end

    def _bytes(self, node: ast.AST) -> bytes:
        start, end = self._span(node)
        plain = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript)
        return self.text[start:end] if plain else b"(" + self.text[start:end] + b")"


def _is_text_or_type(node: ast.BinOp) -> bool:
    """Whether an operator joins texts or types."""
    for side in (node.left, node.right):
        if isinstance(side, ast.JoinedStr | ast.Constant) and not _is_number(side):
            return True
        named = side.value if isinstance(side, ast.Subscript) else side
        if isinstance(node.op, ast.BitOr) and isinstance(named, ast.Name):
            if named.id[0].isupper() or named.id in ("int", "str", "float", "bool", "bytes"):
                return True
    return False


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)
