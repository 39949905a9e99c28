"""The errors of engines. Every message is one line that a user can act on."""


class EngineError(Exception):
    """Root of all errors of this package."""


class VariantError(EngineError, ValueError):
    """The text, driver, parameter or value of a variant is invalid."""


class LimitError(EngineError, ValueError):
    """A limit is missing, makes no sense, or is written wrongly."""


class PositionError(EngineError, ValueError):
    """A position or a move is not legal chess."""


class EngineFailure(EngineError, RuntimeError):
    """An engine did not start, crashed, or violated its protocol."""


class EngineTimeout(EngineFailure):
    """An engine did not answer in time. Its search was stopped, or its process killed."""


class StartFailure(EngineFailure):
    """An engine did not start, or did not get ready for a game, however often it was tried."""

    def __init__(self, label: str, message: str) -> None:
        super().__init__(message)
        self.label = label
        """The engine's label."""
