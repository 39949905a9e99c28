"""``mtdf serve``: the database read-only, in few threads.

What it does for one request is bounded in number, time and size. One watch for each event reads its
standing and tells all viewers.
"""
