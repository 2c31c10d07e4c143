"""All harvesters. Adding one is its file and a line here."""

from typing import Any

from afterwit.harvest.choices import Choices
from afterwit.harvest.companions import Companions
from afterwit.harvest.contracts import Contracts
from afterwit.harvest.corrections import Corrections
from afterwit.harvest.denials import Denials
from afterwit.harvest.distilled import Distilled
from afterwit.harvest.environment import Environment
from afterwit.harvest.everyday_rules import EverydayRules
from afterwit.harvest.guessed_names import GuessedNames
from afterwit.harvest.harvester import Harvester
from afterwit.harvest.places import Places
from afterwit.harvest.plain_commands import PlainCommands
from afterwit.harvest.procedures import Procedures
from afterwit.harvest.proven_commands import ProvenCommands
from afterwit.harvest.put_off import PutOff
from afterwit.harvest.questions import Questions
from afterwit.harvest.refusals import Refusals, RefusedForNow
from afterwit.harvest.reproofs import Reproofs
from afterwit.harvest.root_causes import RootCauses
from afterwit.harvest.rules import Rules
from afterwit.harvest.standing_rules import StandingRules
from afterwit.harvest.wrong_paths import FoldersRead, WrongPaths

HARVESTERS: tuple[Harvester[Any], ...] = (
    Choices(),
    Companions(),
    Contracts(),
    Corrections(),
    Denials(),
    Distilled(),
    Environment(),
    EverydayRules(),
    FoldersRead(),
    GuessedNames(),
    Places(),
    PlainCommands(),
    Procedures(),
    ProvenCommands(),
    PutOff(),
    Questions(),
    Refusals(),
    RefusedForNow(),
    Reproofs(),
    RootCauses(),
    Rules(),
    StandingRules(),
    WrongPaths(),
)
