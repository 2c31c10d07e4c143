"""Names of files that were guessed: answered right after the next wrong guess, and never said otherwise.

That names are guessed wrongly somewhere is no knowledge by itself. But where it happened before, the next file that is
not there is best looked for by a part of its name. So the item never stands by itself, however often it is seen.
"""

import re
from collections.abc import Iterable, Sequence

from afterwit.actions.shell.command_changes import WIDEN
from afterwit.harvest.files.wrong_paths import Guessed, guesses_in
from afterwit.harvest.harvester import NEVER_ALONE, Grouped, evidence_of
from afterwit.harvest.sightings import by_repo, in_order
from afterwit.harvest.wording import quoted, sentence
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Channel, Draft, Sighting, Trigger

_MOST_SHOWN = 3
_NAMED = re.compile(r".+/[^/]+\.\w+")
_MISSING = ": <path>: No such file or directory"
_READERS = ("cat", "grep", "head", "nl", "rg", "sed", "tail", "wc")


class GuessedNames:
    name = "guessed-names"
    version = 2
    minimum_stories = NEVER_ALONE
    seen = Guessed

    def see(self, digest: Digest) -> Iterable[Grouped[Guessed]]:
        if digest.repo:
            for guessed in guesses_in(digest, {file.path for file in digest.files}):
                if not guessed.is_folder and _NAMED.fullmatch(guessed.wrong):
                    yield Grouped(digest.repo, guessed)

    def conclude(self, group: str, sightings: Sequence[Sighting[Guessed]]) -> Iterable[Draft]:
        del group
        for scope, same in by_repo(in_order(sightings)).items():
            names = list(dict.fromkeys(one.seen.wrong for one in reversed(same)))
            shown = ", ".join(quoted(name, 40) for name in names[:_MOST_SHOWN])
            yield Draft(
                harvester=self.name,
                key=("names",),
                scope=scope,
                category=Category.PITFALL,
                sentence=sentence(
                    f"Names of files were guessed wrongly here ({shown} did not exist): look a name up with"
                    " `git ls-files '*part*'` first."
                ),
                channel=Channel.OUTCOME,
                triggers=tuple(
                    Trigger(signature=f"{reader}: <path>: No such file or directory") for reader in _READERS
                ),
                advice=str(WIDEN),
                evidence=tuple(evidence_of(one, Channel.OUTCOME) for one in same),
            )
