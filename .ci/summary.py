"""Names every failed test with its reason, then counts all tests, from reports in JUnit's XML."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

counts: Counter[str] = Counter()
for path in map(Path, sys.argv[1:]):
    if not path.is_file():
        continue
    for case in ElementTree.parse(path).iter("testcase"):
        ends = [end for end in case if end.tag in {"failure", "error", "skipped"}]
        counts["skipped" if any(end.tag == "skipped" for end in ends) else "run"] += 1
        for end in ends:
            if end.tag != "skipped":
                counts["failed"] += 1
                reason = " ".join(end.get("message", "").split())[:300]
                print(f"FAILED {case.get('classname')}::{case.get('name')}: {reason}")
passed = counts["run"] - counts["failed"]
print(f"{passed} passed, {counts['failed']} failed, {counts['skipped']} skipped")
