"""All harvesters. Adding one takes its module, its import and entry here, its tests, and its row in
docs/explanation/harvest.md; extras name theirs in their description (`config.extras`). The order is part of the version
under which sessions are harvested: by name, and last those that only look, from which no note follows.
"""

from functools import cache
from typing import Any

from afterwit.config.extras import extras, load
from afterwit.harvest.commands.corrections import Corrections
from afterwit.harvest.commands.proven_commands import ProvenCommands
from afterwit.harvest.environment import Environment
from afterwit.harvest.harvester import Harvester, SessionLook
from afterwit.harvest.http_refusals import HttpRefusals
from afterwit.harvest.procedures import Procedures
from afterwit.harvest.rules import LinterRules
from afterwit.harvest.standing_rules import RepeatedWords, StandingRules

_OWN: tuple[Harvester[Any], ...] = (
    Corrections(),
    Environment(),
    HttpRefusals(),
    Procedures(),
    ProvenCommands(),
    RepeatedWords(),
    LinterRules(),
    StandingRules(),
)


@cache
def harvesters() -> tuple[Harvester[Any], ...]:
    """Ours, and those of the extras."""
    brought = (load(code)() for extra in extras() for code in extra.harvesters)
    return tuple(sorted((*_OWN, *brought), key=lambda harvester: harvester.name))


@cache
def looks() -> tuple[SessionLook, ...]:
    """All that look at a digest: the harvesters, and what extras look for without concluding anything from it."""
    brought = (load(code)() for extra in extras() for code in extra.looks)
    return (*harvesters(), *sorted(brought, key=lambda look: look.name))
