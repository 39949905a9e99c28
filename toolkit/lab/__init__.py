"""The search laboratory: what searches of given positions cost, and suites of positions.

One search to the maximum depth covers every depth. A search is a row, identified by run, engine and
position; ``resume`` does the missing ones. Only :mod:`toolkit.lab.agreement` defines what agreement
means for a driver, and only :mod:`toolkit.lab.summary` computes ratios. Another baseline for a
stored run is the same plan with other places (``rebase``). Re-expanded nodes are counted by
position and depth within an iteration, only if a trace asks for it. What must not follow the
defaults takes its engines from :mod:`toolkit.lab.fixed`.
"""
