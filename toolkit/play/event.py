"""Events: one tournament from its settings to its last stored pair."""

from __future__ import annotations

import threading
from collections.abc import Callable

from db.records import EventRecord
from db.session import Database
from toolkit.play.openings import Book
from toolkit.play.progress import EventOutcome, EventPlan, EventProgress
from toolkit.play.settings import EventSettings

ProgressCallback = Callable[[EventProgress], None]


def start_event(
    db: Database,
    settings: EventSettings,
    *,
    book: Book | None = None,
    jobs: int = 1,
    on_progress: ProgressCallback | None = None,
    stop: threading.Event | None = None,
) -> EventOutcome: ...


def resume_event(
    db: Database,
    event: EventRecord,
    *,
    jobs: int = 1,
    allow_changed: bool = False,
    on_progress: ProgressCallback | None = None,
    stop: threading.Event | None = None,
) -> EventOutcome: ...


def plan_event(
    settings: EventSettings, *, book: Book | None = None, jobs: int = 1, warm_up: bool = True
) -> EventPlan: ...
