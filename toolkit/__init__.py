"""Tournaments, ratings, tuning and the search laboratory as functions.

``from toolkit import …`` offers what the commands of ``mtdf`` do. Names are imported on first use.
Every example below runs in an empty directory. Results are rows with documented fields, or objects
that a notebook shows as tables; ``msgspec.structs.asdict`` makes a dictionary of a row. Events,
studies and laboratory runs use worker processes, so a script must call them under
``if __name__ == "__main__":``. A notebook needs no such line.

Playing
-------

An event is played from its settings. Both games of a pair start from the same opening, with
colours reversed.

>>> from toolkit import Limit, event_scores, match_settings, open_database, start_event
>>> db = open_database("games.db")
>>> settings = match_settings("mtdf", "pvs", pairs=3, limit=Limit(nodes=100), seed=1)
>>> outcome = start_event(db, settings, jobs=1)
>>> outcome.status
'done'
>>> for row in event_scores(db, outcome.event):
...     print(row.first, row.second, row.games)
...     print(row.wins + row.draws + row.losses, sum(row.pentanomial))
mtdf pvs 6
6 3

An interrupted event continues where it stopped; a finished one stays as it is. The same
holds for ``resume_study`` and ``resume_lab``.

>>> from toolkit import GameQuery, list_games, resume_event
>>> resume_event(db, "last").status
'done'
>>> len(list(list_games(db, GameQuery())))
6

Games leave and enter as PGN.

>>> from pathlib import Path
>>> from toolkit import import_file, list_pgn
>>> _ = Path("games.pgn").write_text("\\n".join(list_pgn(db)), encoding="utf-8")
>>> db.close()
>>> with open_database("imported.db") as other:
...     imported = import_file(other, "games.pgn", event="copy")
>>> imported.row.added
6

Testing
-------

A sequential test (SPRT) decides between two strengths, from counts or while it plays. Counts are
pairs that scored 0, ½, 1, 1½ and 2 points.

>>> from toolkit import SprtSettings, sprt_from_counts
>>> sprt = SprtSettings.make(0, 10)
>>> row = sprt_from_counts([10, 120, 300, 250, 60], sprt.test)
>>> row.verdict, row.llr >= row.upper
('H1', True)

A smaller table that never fills makes no difference. With a limit in nodes both games of a pair are
the same game, so every pair is level.

>>> from toolkit import Limit, open_database, sprt_result, sprt_settings, start_event
>>> settings = sprt_settings(
...     "pvs",
...     "pvs:hash=8",
...     sprt=SprtSettings.make(0, 400),
...     max_pairs=20,
...     limit=Limit(nodes=100),
... )
>>> with open_database("test.db") as db:
...     row = sprt_result(start_event(db, settings))
>>> row.verdict, row.test.elo, row.trinomial[0] == row.trinomial[2]
('H0', 0.0, True)

Rating
------

Ratings come from a joint fit of all games that were chosen. Their mean is 0 unless an engine is
anchored.

>>> from toolkit import Limit, RatingQuery, gauntlet_settings, open_database, rate_games
>>> from toolkit import start_event
>>> db = open_database("ratings.db")
>>> settings = gauntlet_settings(
...     ["mtdf"], ["pvs", "alphabeta"], pairs=4, limit=Limit(nodes=100), seed=1
... )
>>> outcome = start_event(db, settings)
>>> rows = rate_games(db).rows()
>>> sorted((row.engine, row.games) for row in rows)
[('alphabeta', 8), ('mtdf', 16), ('pvs', 8)]
>>> round(abs(sum(row.elo for row in rows)), 6)
0.0
>>> anchored = rate_games(db, RatingQuery(anchors={"pvs": 100.0})).rows()
>>> [row.elo for row in anchored if row.engine == "pvs"]
[100.0]
>>> db.close()

Tuning
------

A study searches for the best values of parameters, then measures what it recommends on fresh
pairs that played no part in the choice. It recommends the base unless the measured gain is above 0.

>>> from toolkit import Limit, finished_result, make_settings, open_database
>>> from toolkit import recommended_variant, run_study
>>> settings = make_settings(
...     base="mtdf:guess=parity",
...     parameters=["guess=previous|parity"],
...     limit=Limit(nodes=50),
...     budget_pairs=24,
...     pairs_per_trial=4,
...     seed=1,
... )
>>> with open_database("tuning.db") as db:
...     outcome = run_study(db, settings)
>>> outcome.status
'done'
>>> result = finished_result(outcome.study)
>>> recommended_variant(settings, result).parameters["guess"] == result.parameters["guess"]
True
>>> result.gain.value >= 0
True

``confirmation_settings`` and ``confirm_study`` play the recommended values against the base on
openings that the study never had.

The laboratory
--------------

The laboratory compares drivers on exactly the same trees: they must find the same values, and
differ in what these cost. Costs are relative to a baseline, by default PVS with an open window.

>>> from toolkit import compare_plan, load_suite, open_database, parse_variant, run_report
>>> from toolkit import start_lab
>>> engines = [parse_variant("mtdf"), parse_variant("sss")]
>>> plan = compare_plan(engines, load_suite("lab-60", 2), depths=(1, 2))
>>> with open_database("laboratory.db") as db:
...     report = run_report(db, start_lab(db, plan).run)
>>> report.searches_done == len(report.engines) * 2
True
>>> report.values_agree
True
>>> [row.nodes for row in report.rows if row.engine == report.baseline]
[1.0, 1.0]

A trace shows the passes of one search. The bounds meet at the value, which plain minimax confirms.

>>> from toolkit import TraceQuery, find_position, trace_search
>>> query = TraceQuery(parse_variant("mtdf"), find_position("start").fen, depth=2, check=True)
>>> trace = trace_search(query)
>>> last = trace.passes[-1]
>>> last.lower == last.upper == trace.value == trace.checked
True

A tree made by hand is a text. A recording has a row for every visit of a node.

>>> from msgspec.structs import replace
>>> from toolkit import tree_query
>>> query = replace(tree_query("((3 12 8) (2 4 6) (14 5 2))"), record=True)
>>> recording = trace_search(query).recording
>>> recording.value, recording.nodes, sum(recording.visits.again)
(3, 14, 2)

Pages and pictures
------------------

A report is one file of HTML. A picture is a function of rows; its file ends in ``.svg``, ``.png``
or ``.pdf``, and a notebook shows it as it is.

>>> from pathlib import Path
>>> from toolkit import Limit, find_runs, make_report, match_settings, open_database
>>> from toolkit import rate_games, ratings_picture, start_event, write_picture
>>> settings = match_settings("mtdf", "pvs", pairs=3, limit=Limit(nodes=100), seed=1)
>>> with open_database("games.db") as db:
...     outcome = start_event(db, settings)
...     report = make_report(db, find_runs(db, ["last"], [], []), games=2)
...     rows = rate_games(db).rows()
>>> report.games, report.viewed
(6, 2)
>>> _ = Path("report.html").write_text(report.html, encoding="utf-8")
>>> picture = ratings_picture(rows, [row.engine for row in rows])
>>> write_picture(picture, "ratings.svg")
>>> Path("ratings.svg").read_text(encoding="utf-8").startswith("<svg")
True
"""

import sys

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

if "IPython" in sys.modules:
    from toolkit.show.notebook import register

    register(sys.modules["IPython"].get_ipython)
