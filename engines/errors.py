"""What can go wrong with engines; every error's text is one line that a user can act on."""


class EngineError(Exception):
    """Root of all errors of this package."""


class VariantError(EngineError, ValueError):
    """A variant's text, driver, parameter or value is wrong."""


class PositionError(EngineError, ValueError):
    """A position or a move is not legal chess."""


class EngineFailure(EngineError, RuntimeError):
    """An engine would not start, crashed, or broke its protocol."""
