"""Rating lists: the joint fit over selected games, and their history.

Reading writes nothing: only ``ratings --store`` and the end of a completed event store lists.
"""
