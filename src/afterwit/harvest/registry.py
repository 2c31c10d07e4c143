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
from afterwit.harvest.stated.choices import Choices, Reproofs
from afterwit.harvest.stated.open_questions import OpenQuestions
from afterwit.harvest.stated.put_off import PutOff
from afterwit.harvest.stated.root_causes import RootCauses
from afterwit.harvest.stated.standing_rules import StandingRules

HARVESTERS: tuple[Harvester[Any], ...] = (
    Choices(),
    Contracts(),
    Corrections(),
    Denials(),
    Environment(),
    HttpRefusals(),
    OpenQuestions(),
    ProvenCommands(),
    PutOff(),
    Refusals(),
    RefusedForNow(),
    Reproofs(),
    RootCauses(),
    LinterRules(),
    Skills(),
    StandingRules(),
)
LOOKS: tuple[SessionLook, ...] = (*HARVESTERS, PatternSignals())
