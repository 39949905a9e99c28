"""Engines on trees made by hand."""

from __future__ import annotations

from msgspec.structs import replace

from engines.spec import Value, Variant
from engines.trees.tree import TREE

PUBLISHED_MTDF = "mtdf:preset=plaat"
"""MTD(f) as published, which searches trees unless another engine is given."""

_AS_PRINTED: dict[str, Value] = {
    "game": TREE,
    **{"grain": 1, "swing": 0, "quiescence": False, "iid": False, "leaf_bounds": False},
}
"""Nodes above the leaves have no value, and there are none below them."""


def on_tree(variant: Variant) -> Variant:
    """The variant as it searches trees made by hand; it keeps name and identity."""
    return replace(variant, parameters={**variant.parameters, **_AS_PRINTED})
