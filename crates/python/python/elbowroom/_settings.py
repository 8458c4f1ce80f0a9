"""Settings by name: what is left out has the core's default."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from . import _elbowroom
from ._errors import ConfigError

Named: TypeAlias = str | Mapping[str, Any]
"""A name, or a mapping with a ``name`` and options."""


def strategies() -> dict[str, dict[str, Any]]:
    """Every strategy by name, with its options and their defaults, as the core has them.

    >>> import elbowroom as er
    >>> sorted(er.strategies())[:3]
    ['adaptive', 'believer', 'hallucinated_ucb']
    >>> er.strategies()["believer"]["lie"]
    'mean'
    """
    return dict(json.loads(_elbowroom.strategies()))


def settings(**given: Any) -> str:
    """The settings that were given, as the core reads them."""
    kept = {name: value for name, value in given.items() if value is not None}
    if "strategy" in kept:
        kept["strategy"] = _strategy(kept["strategy"])
    try:
        return json.dumps(kept, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"the settings cannot be written: {error}\n  try: numbers, texts, lists and dicts") from None


def _strategy(given: Named) -> dict[str, Any]:
    if isinstance(given, str):
        return {"name": given}
    strategy = dict(given)
    if "acquisition" in strategy:
        strategy["acquisition"] = _tagged(strategy["acquisition"])
    return strategy


def _tagged(given: Named) -> Any:
    """A name with options as the core writes it: ``{"name": "ucb", "kappa": 2}`` is ``{"ucb": {"kappa": 2}}``."""
    if isinstance(given, str) or "name" not in given:
        return given
    options = {key: value for key, value in given.items() if key != "name"}
    return {given["name"]: options} if options else given["name"]
