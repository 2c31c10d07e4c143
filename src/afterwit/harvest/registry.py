"""All harvesters. Adding one takes its module, its import and entry here, its tests, and its row in
docs/explanation/harvest.md. The order is part of the version under which sessions are harvested: it stays as it is.

`LOOKS` are all that look at a digest: the harvesters, and the signals of patterns, from which no note follows.
"""

from typing import Any

from afterwit.harvest.commands.corrections import Corrections
from afterwit.harvest.commands.proven_commands import ProvenCommands
from afterwit.harvest.contracts import Contracts
from afterwit.harvest.environment import Environment
from afterwit.harvest.harvester import Harvester, SessionLook
from afterwit.harvest.http_refusals import HttpRefusals
from afterwit.harvest.refusals import Denials, Refusals, RefusedForNow
from afterwit.harvest.rules import LinterRules
from afterwit.harvest.signals.pattern_signals import PatternSignals
from afterwit.harvest.skills.skills import Skills
from afterwit.harvest.stated.repeated_words import RepeatedWords
from afterwit.harvest.stated.standing_rules import StandingRules

HARVESTERS: tuple[Harvester[Any], ...] = (
    Contracts(),
    Corrections(),
    Denials(),
    Environment(),
    HttpRefusals(),
    ProvenCommands(),
    Refusals(),
    RefusedForNow(),
    RepeatedWords(),
    LinterRules(),
    Skills(),
    StandingRules(),
)
LOOKS: tuple[SessionLook, ...] = (*HARVESTERS, PatternSignals())
