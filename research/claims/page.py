"""Judged claims as one table in Markdown: docs/claims.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from claims.catalogue import CLAIMS, FILES
from claims.claim import Claim, Finding
from claims.experiment import GAME, SUITE
from claims.stored import number_of
from claims.views import ClaimRow, FurtherFigure
from claims.words import chance_text, figure_text, table_row
from toolkit.base.format import count_of
from toolkit.lab.cost import RESAMPLES, SEED
from toolkit.lab.positions import suite_origin


def claims_page(rows: Sequence[ClaimRow], charts: str, research: str) -> str:
    """The page; ``charts`` and ``research`` are folders, relative to it."""
    return "\n".join(_lines(rows, charts, f"{research}/claims"))


def chart_name(row: ClaimRow) -> str:
    """The name of the file with the chart of a claim."""
    return f"claim-{number_of(row.game, row.claim)}.svg"


def _lines(rows: Sequence[ClaimRow], charts: str, source: str) -> Iterator[str]:
    yield "# Claims about MTD(f)\n"
    yield (
        f"Published claims about MTD(f), each in a file of [`research/claims`]({source}) with its "
        "source, its experiment and the thresholds of its parts, fixed before measuring. "
        "`python research/judge_claims.py` in a checkout measures them; `python docs/generate.py` "
        "made this page from the results. [laboratory.md](laboratory.md#claims) explains more.\n"
    )
    yield (
        "A part of a claim *holds* if the whole 95 % interval of its figure lies on the claimed "
        "side of the threshold, *does not hold* if the whole interval lies on the other side, and "
        "is *undecided* otherwise; `3 of 5 hold` counts parts. The link of a verdict is the result "
        "file: all figures, thresholds, samples, engines and the core. *Quick* marks small "
        f"samples. {chance_text(rows)}\n"
    )
    yield (
        "Figures are geometric means over positions, shares, or Elo over game pairs. Intervals "
        f"are bootstrap-t intervals from {RESAMPLES} resamples (seed {SEED}), exact binomial ones "
        "of shares, and profile likelihood intervals of Elo, corrected as their names say. "
        f"Positions in chess: {suite_origin(SUITE)}; in other games those of their books. "
        "Engines have the values of the preset `claims` where their names do not say otherwise.\n"
    )
    games = list(dict.fromkeys(row.game for row in rows))
    yield table_row(["claim", *games, f"found in {GAME}"])
    yield "|---" * (len(games) + 2) + "|"
    judged = {(row.game, row.claim): row for row in rows}
    for number, claim in CLAIMS.items():
        found = [judged.get((game, number)) for game in games]
        if found[0] is not None:
            cells = [
                f"[{number}. {claim.title}]({source}/{FILES[number]})",
                *("" if row is None else _verdict(row, source) for row in found),
                f"{_finding(claim, found[0])} ([chart]({charts}/{chart_name(found[0])}))",
            ]
            yield table_row(cells)
    yield ""
    yield from games_table(rows, source)


def games_table(rows: Sequence[ClaimRow], source: str) -> Iterator[str]:
    """The figures of claims that games decide, by game; ``source``: the folder of the claims."""
    for number, claim in CLAIMS.items():
        found = [row for row in rows if row.claim == number and row.matches]
        if found:
            yield table_row([claim.title, *(_linked(row.game, row, source) for row in found)])
            yield "|---" * (len(found) + 1) + "|"
            figures: list[list[Finding | FurtherFigure]]
            figures = [[*row.parts, *row.further] for row in found]
            for figure in figures[0]:
                cells = (one for row in figures for one in row if one.text == figure.text)
                yield table_row([figure.text, *map(_played, cells)])
            yield f"\n{claim.by_game} Seeds, books and engines stand in the linked results.\n"


def _played(figure: Finding | FurtherFigure) -> str:
    """A figure of a contest, its pairs, and the verdict if it is judged."""
    verdict = f", *{figure.verdict}*" if isinstance(figure, Finding) else ""
    return f"{figure_text(figure)}, {count_of(figure.n, 'pair')}{verdict}"


def _linked(text: str, row: ClaimRow, source: str) -> str:
    return f"[{text}]({source}/results/{number_of(row.game, row.claim)}.json)"


def _verdict(row: ClaimRow, source: str) -> str:
    """The verdict on all parts, with a link to the result."""
    verdicts = [part.verdict for part in row.parts]
    in_part = f"{verdicts.count('holds')} of {len(verdicts)} hold"
    text = verdicts[0] if len(set(verdicts)) == 1 else in_part
    link = _linked(text, row, source)
    return link if row.size == "full" else f"{link}, quick"


def _finding(claim: Claim, row: ClaimRow) -> str:
    return claim.found.format_map({part.part: figure_text(part) for part in row.parts})
