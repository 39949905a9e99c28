"""Trees made by hand are read as written, and every fault is one line with its place."""

from __future__ import annotations

import pytest

from engines.errors import PositionError
from engines.reference.games.tree import TreeGame
from engines.reference.oracle import minimax
from engines.trees.published import PUBLISHED
from engines.trees.text import read_tree
from engines.trees.tree import MOST_NODES


def test_values_and_names_are_read() -> None:
    tree = read_tree(" ( (3,12 8)\n(2 4 +6) (14 5 -2) ) ")
    assert (str(tree), tree.height, tree.sizes[-1]) == ("((3 12 8) (2 4 6) (14 5 -2))", 2, 13)
    assert tree.moves(tree.root) == ["1", "2", "3"]
    assert [tree.value_of(move) for move in "123"] == [3, 2, -2]
    named = read_tree("A(B(3 12 8) C(2 4 B) 7)")
    assert named.moves(named.root) == ["B", "C", "3"]
    assert (named.height, named.sizes[-1], str(named)) == (3, 13, "A(B(3 12 8) C(2 4 B) 7)")


def test_name_with_a_space_stands_for_the_node_before() -> None:
    tree = read_tree("(B(3 4) B (5 6) B)")
    first, *others = tree.children[tree.root]
    assert [child == first for child in others] == [True, False, True]
    assert tree.moves(tree.root) == ["B", "B-2", "3", "B-4"], "twins have names of their own"


def test_published_trees_have_the_values_in_print() -> None:
    values = {}
    for name in PUBLISHED:
        tree = read_tree(name)
        values[name] = tree.minimax(tree.root, is_max=True), tree.height
        assert str(read_tree(str(tree))) == str(tree) == PUBLISHED[name].text
    assert values == {"aima": (3, 2), "plaat": (35, 4), "wikipedia": (6, 4)}


def test_random_trees_depend_on_their_text_only() -> None:
    text = "random:depth=3,width=2,seed=5,values=-4..4"
    tree = read_tree(text)
    assert str(tree) == str(read_tree(text)) == "(((1 2) (3 4)) ((2 4) (-4 0)))"
    assert str(tree) != str(read_tree(text.replace("seed=5", "seed=6")))
    assert read_tree("random").sizes[-1] == 1 + 3 + 9 + 27 + 81


def test_game_of_a_tree_has_its_value() -> None:
    for text in ("plaat", "(A(1 (2 7)) B(A 5) C((A 3) B))", "(-3 (4 (5 (6))))"):
        tree = read_tree(text)
        value = minimax(TreeGame(tree), tree.height, quiescence=False)
        assert value == tree.minimax(tree.root, is_max=True), text


def test_places_are_listed_as_often_as_nodes_stand() -> None:
    rows = read_tree("(A(1 2) B(A 5))").places()
    assert rows is not None
    assert [(row.parent, row.move, row.name, row.value) for row in rows] == [
        *((-1, "", "", None), (0, "A", "A", None), (1, "1", "", 1), (1, "2", "", 2)),
        *((0, "B", "B", None), (4, "A", "A", None), (5, "1", "", 1), (5, "2", "", 2)),
        (4, "2", "", 5),
    ]
    assert read_tree("random:depth=7,width=3").places() is None


def test_faults_say_where_they_are() -> None:
    deep = "(" * 70 + "1" + ")" * 70
    doubled = " ".join(
        f"A{number}({f'A{number - 1} A{number - 1}' if number else '1 2'})" for number in range(40)
    )
    for text, said in (
        ("", "tree ``: expected a list"),
        ("plat", "aima, plaat, wikipedia or random:"),
        ("()", "tree, character 2: a node has no children"),
        ("((3 4)", "tree, character 1: `(` is not closed"),
        ("(3 4))", "tree, character 6: the tree has ended"),
        ("(3 4) (5)", "tree, character 7: the tree has ended; put one pair of parentheses"),
        ("(3.5 2)", "tree, character 2: `3.5 2)` is no whole number"),
        ("(3(4))", "tree, character 2: `3(4))` is no whole number"),
        ("(1 2;3)", "tree, character 5: `;3)` is no whole number"),
        ("(" + "9" * 5000 + ")", "tree, character 2: `9999999999` is no whole number"),
        ("(A(B(A)))", "tree, character 6: A stands below itself"),
        ("(A(1) A(2))", "tree, character 7: A has children already; write `A` alone"),
        ("(A (1) A)", "tree, character 2: A is not known yet: write `A(...)`"),
        ("(40000)", "tree, character 2: value 40000 is not from -30000 to 30000"),
        (") (", "tree, character 1: expected a list"),
        (deep, "tree, character 10: the tree has more than 60 plies"),
        (f"({'1 ' * MOST_NODES})", f"tree, character 1: the tree has more than {MOST_NODES}"),
        (f"({doubled})", "more than 10000 nodes, each counted where it stands"),
        ("random:depth=9,width=9", "more than 10000 nodes"),
        ("random:foo=3", "`foo=3` is none of depth=N"),
        ("random:values=5..1", "the smaller value first"),
        ("random:depth=0", "a depth from 1 to 60"),
    ):
        with pytest.raises(PositionError) as caught:
            read_tree(text)
        message = str(caught.value)
        assert said in message and "\n" not in message and len(message) < 200, message
