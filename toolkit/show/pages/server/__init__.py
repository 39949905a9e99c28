"""``mtdf serve``: the database read-only, in few threads.

What it does for one request is bounded in number, time and size. Live pages ask for themselves
again; the answer is short as long as nothing was written.
"""
