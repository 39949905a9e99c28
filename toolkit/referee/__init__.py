"""One game: its clock, its referee, its adjudication, and how it is recorded.

Two native players under a limit of nodes or depth play inside the core, which asks Python once per
ply for adjudication. All other games use the Python referee, which is also the core's oracle: tests
demand the same plies, reports and outcome from both, and python-chess replays them. Games of an
engine that changed since the event began have its new identity in their signature
(:mod:`toolkit.referee.signature`), so code that separates cores also separates engine versions.
"""
