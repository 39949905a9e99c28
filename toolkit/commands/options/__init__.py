"""Options that commands share: their types, declarations and meanings.

An option of events is declared once (``event``): a click option under the name of the keyword that
it fills, with what a file says of a stored setting. ``keywords`` makes keywords of a command's
values, for events and studies; ``EventKeywords`` types them, and a test compares both. A file of an
event or a study is a command line in another spelling, so nothing is checked twice.
"""
