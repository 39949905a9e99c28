"""Trees of textbooks and papers, by name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PublishedTree:
    """A tree with its source."""

    text: str
    source: str


PUBLISHED = {
    "aima": PublishedTree(
        "A(B(3 12 8) C(2 4 6) D(14 5 2))",
        "S. Russell and P. Norvig, Artificial Intelligence: A Modern Approach, the two-ply tree of "
        "the chapter on adversarial search",
    ),
    "plaat": PublishedTree(
        "((((41 5) (12 90)) ((101 80) (20 30))) (((34 80) (36 35)) ((50 36) (25 3))))",
        "A. Plaat, J. Schaeffer, W. Pijls and A. de Bruin, Best-first fixed-depth minimax "
        "algorithms, Artificial Intelligence 87 (1996), the example tree",
    ),
    "wikipedia": PublishedTree(
        "((((5 6) (7 4 5)) ((3))) (((6) (6 9)) ((7))) (((5)) ((9 8) (6))))",
        "Wikipedia, Alpha-beta pruning, the tree with cut subtrees",
    ),
}
"""By name."""
