"""All harvesters. Adding one is its file and a line here."""

from typing import Any

from afterwit.harvest.commands.corrections import Corrections
from afterwit.harvest.commands.plain_commands import PlainCommands
from afterwit.harvest.commands.proven_commands import ProvenCommands
from afterwit.harvest.contracts import Contracts
from afterwit.harvest.denials import Denials
from afterwit.harvest.environment import Environment
from afterwit.harvest.files.companions import Companions
from afterwit.harvest.files.guessed_names import GuessedNames
from afterwit.harvest.files.places import Places
from afterwit.harvest.files.wrong_paths import FoldersRead, WrongPaths
from afterwit.harvest.harvester import Harvester
from afterwit.harvest.procedures import Procedures
from afterwit.harvest.questions import Questions
from afterwit.harvest.refusals import Refusals, RefusedForNow
from afterwit.harvest.rules.everyday_rules import EverydayRules
from afterwit.harvest.rules.rules import Rules
from afterwit.harvest.stated.choices import Choices
from afterwit.harvest.stated.distilled import Distilled
from afterwit.harvest.stated.put_off import PutOff
from afterwit.harvest.stated.reproofs import Reproofs
from afterwit.harvest.stated.root_causes import RootCauses
from afterwit.harvest.stated.standing_rules import StandingRules

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
