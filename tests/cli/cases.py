"""Many similar cases in one test: a loop that names all cases that fail."""

from __future__ import annotations

import functools
import inspect
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


def each(names: str, cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As ``pytest.mark.parametrize``, but one test that makes its fixtures once. Each case gets its
    own ``monkeypatch``, and finds ``tmp_path`` as the first one did."""
    words, cases = [name.strip() for name in names.split(",")], list(cases)

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)
        kept = [value for name, value in signature.parameters.items() if name not in words]
        own = [value.name for value in kept if value.name != "self"]
        if own and "tmp_path" not in own:
            kept.append(inspect.Parameter("tmp_path", inspect.Parameter.KEYWORD_ONLY))

        @functools.wraps(test)
        def run(*instance: Any, **given: Any) -> None:
            failed: list[Exception] = []
            with _restored(given.get("tmp_path")) as restore:
                for case in cases:
                    values = [case] if len(words) == 1 else case
                    used = {name: given[name] for name in own}
                    with pytest.MonkeyPatch.context() as patch:
                        used |= {"monkeypatch": patch} if "monkeypatch" in own else {}
                        try:
                            test(*instance, **used, **dict(zip(words, values, strict=True)))
                        except Exception as error:
                            error.add_note(f"case: {case!r:.500}")
                            failed.append(error)
                    restore()
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(cases)} cases failed", failed)

        run.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return run

    return decorate


@contextmanager
def _restored(folder: Path | None) -> Iterator[Callable[[], None]]:
    """Makes a folder as it was, with a function that does it again each time. What is in folders
    inside of it is only removed with them."""
    before = {path: path.lstat() for path in folder.iterdir()} if folder else {}
    contents = {path: path.read_bytes() for path in before if path.is_file()}
    at = os.getcwd()

    def restore() -> None:
        os.chdir(at)
        for path in folder.iterdir() if folder else ():
            if path not in before:
                is_folder = path.is_dir() and not path.is_symlink()
                shutil.rmtree(path) if is_folder else path.unlink()
        for path, content in contents.items():
            now = path.lstat() if path.exists() else None
            if now is None or now.st_mtime_ns != before[path].st_mtime_ns:
                path.write_bytes(content)
                before[path] = path.lstat()

    yield restore
