"""Results that values stand for: a value v promises 1 / (1 + exp(-k v)) points of a game."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar


def expected(k: float, values: np.ndarray) -> np.ndarray:
    """The results that values stand for."""
    found: np.ndarray = 1 / (1 + np.exp(-k * values))
    return found


def loss(k: float, values: np.ndarray, results: np.ndarray) -> float:
    """The mean logistic loss of results, in nats."""
    logits = k * values
    return float(np.mean(np.logaddexp(0, logits) - results * logits))


def fit_scale(values: np.ndarray, results: np.ndarray, most: float) -> float:
    """The k up to ``most`` with which values explain the results best."""
    found = minimize_scalar(lambda k: loss(k, values, results), bounds=(1e-4, most))
    return float(found.x)
