"""Pages of HTML: of events, studies, laboratory runs and games; as one file, or served.

The content of a page is a ``Subject``: sections of blocks (:mod:`~toolkit.show.pages.parts`), made
from rows of reports. Templates make HTML of it, with everything escaped; scripts draw charts, lists
and the viewer from the JSON in the page. A report and the server differ in how an address is
spelled and whether the rows of a list are in the page. A live page is fetched again, and its
changed sections are replaced.
"""
