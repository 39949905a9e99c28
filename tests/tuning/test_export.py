"""The gain of a recommendation is stated honestly, and its TOML keeps every type."""

from __future__ import annotations

import tomllib
from collections.abc import Callable

from toolkit.tuning.models.gain import Gain, gain_of_pairs, unchanged
from toolkit.tuning.study.export import gain_text, toml_text
from toolkit.tuning.study.report import ExportRow

Failing = Callable[..., list[str]]


def test_gain_text(failing: Failing) -> None:
    def check(gain: Gain, text: str) -> None:
        assert gain_text(gain) == text

    assert not failing(
        check,
        [
            (
                Gain("elo", 12.34, 4.0, 20.6, 8.3, 1000, ""),
                "gain +12.3 ± 8.3 Elo over the base (95 %, on 1 000 fresh pairs not used in the "
                "choice)",
            ),
            (
                Gain("percent", -3.0, None, None, None, 1, "a single pair has no spread"),
                "gain -3.0 % of effort saved (without an interval, on 1 fresh position not used in "
                "the choice; a single pair has no spread)",
            ),
            (unchanged("elo"), "gain 0: the base is recommended"),
            (
                Gain("elo", 3.9, -10.6, 18.4, 14.5, 400, "it may be luck"),
                "gain +3.9 ± 14.5 Elo over the base (95 %, on 400 fresh pairs not used in the "
                "choice; it may be luck)",
            ),
            (gain_of_pairs([None]), "gain not measured: no pair could be played"),
        ],
    )


def test_open_interval_is_shown_as_open() -> None:
    row = gain_of_pairs([1.0, 1.0, 1.0])
    assert "--]" in gain_text(row) and "a finite" in gain_text(row)
    assert gain_text(None) == "gain not measured"


def test_toml_keeps_every_type() -> None:
    values = {"grain": 4, "weight": 0.5, "null_move": False, "guess": 'a"b', "x.y": 1e-7}
    row = ExportRow(
        study="lmr",
        status="done",
        parameters=values,
        is_base=False,
        gain_elo=None,
        gain_error95=None,
        pairs_used=10,
        base="mtdf",
        variant='mtdf:guess="',
        gain=None,
        refused={"grain": 9},
        refused_gain=Gain("elo", -13.9, -28.4, 0.6, 14.5, 400, ""),
        budget_pairs=20,
        objective="elo",
        seed=1,
    )
    assert (
        "\n# refused: grain=9 measured -13.9 ± 14.5 Elo over the base (95 %, on 400"
        in toml_text(row)
    )
    read = tomllib.loads(toml_text(row))
    assert read == {"base": "mtdf", "engine": 'mtdf:guess="', "parameters": values}
    assert [type(value) for value in read["parameters"].values()] == [int, float, bool, str, float]
