"""Every command that runs tests, lint, build and the like in a repository: for the moment in which another cannot.

One item a repository and purpose: the best command with how often it ran, how long it takes and from which folder, and
at most one other. Mostly these are what anybody would try first, so they never stand by themselves; recall quotes them
after a command of the same purpose that could not run.
"""

from collections.abc import Iterable, Sequence

from afterwit.harvest.commands.forms import (
    CHECKS,
    Choice,
    CommandsSeen,
    choices_of,
    evidence_for,
    forms_in,
    shown_duration,
)
from afterwit.harvest.commands.invocations import runs_in
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.commands.purposes import Purpose
from afterwit.harvest.files.file_wording import shown_repo
from afterwit.harvest.harvester import NEVER_ALONE, Grouped
from afterwit.harvest.wording import quoted, sentence
from afterwit.model.digest import Digest
from afterwit.model.knowledge import Category, Channel, Draft, Scope, ScopeKind, Sighting, Trigger

_DOES = {
    Purpose.TEST: "run the tests with",
    Purpose.LINT: "lint with",
    Purpose.TYPES: "check types with",
    Purpose.CHECK: "run the checks with",
    Purpose.MEND: "let the linter fix what it can with",
    Purpose.FORMAT: "format with",
    Purpose.BUILD: "build with",
    Purpose.RUN: "run it with",
}
_OTHER_IS_COMMON = 0.25  # of the stories of the best
_FEW = 2
_MOST_TRIGGERS = 3


class PlainCommands:
    name = "plain-commands"
    version = 2
    seen = CommandsSeen
    minimum_stories = NEVER_ALONE

    def see(self, digest: Digest) -> Iterable[Grouped[CommandsSeen]]:
        found = forms_in(digest, runs_in(digest)) if digest.repo else {}
        for purpose, forms in found.items():
            yield Grouped(
                f"{digest.repo}\n{purpose}", CommandsSeen(at=forms[0].at, excerpt=forms[0].text, forms=tuple(forms))
            )

    def conclude(self, group: str, sightings: Sequence[Sighting[CommandsSeen]]) -> Iterable[Draft]:
        repo, _, named = group.partition("\n")
        purpose = Purpose(named)
        choices = sorted(
            (choice for choice in choices_of(sightings) if choice.is_reliable and is_tellable(choice.line)),
            key=lambda one: one.rank,
        )
        best = _best(purpose, [choice for choice in choices if not choice.is_part])
        if best is None or not quoted(best.text):
            return
        yield Draft(
            harvester=self.name,
            key=(str(purpose),),
            scope=Scope(ScopeKind.REPO, repo),
            category=Category.FACT,
            sentence=sentence(_said(repo, purpose, best, _other(best, choices))),
            channel=Channel.OUTCOME,
            triggers=_cannot_run(choices, sightings),
            advice=best.line,
            evidence=tuple(evidence_for([best], sightings)),
        )


def _best(purpose: Purpose, whole: Sequence[Choice]) -> Choice | None:
    """The first; of checks rather one that was seen to complain."""
    telling = (one for one in whole if one.complained or purpose not in CHECKS)
    return next(telling, whole[0] if whole else None)


def _other(best: Choice, choices: Sequence[Choice]) -> Choice | None:
    """Another whole command that many use, else how a part is run where that is not the same command."""
    common = [
        choice
        for choice in choices
        if choice.text != best.text and choice.stories >= max(_FEW, best.stories * _OTHER_IS_COMMON)
    ]
    whole = next((one for one in common if not one.is_part), None)
    return whole or next((one for one in common if _head(one.text) != _head(best.text)), None)


def _head(text: str) -> list[str]:
    return [word for word in text.split() if not word.startswith("-") and "=" not in word][:2]


def _said(repo: str, purpose: Purpose, best: Choice, other: Choice | None) -> str:
    runs = best.ran + best.could_not
    all_ran = "1 run" if runs == 1 else f"{runs} runs"
    facts = [f"ran in {best.ran} of {runs} tries" if best.could_not else all_ran]
    if best.seconds is not None:
        facts.append(f"about {shown_duration(best.seconds)}")
    place = f"from {quoted(best.folder)}" if best.folder else "from the repository's root"
    text = f"In {shown_repo(repo)}, {_DOES[purpose]} {quoted(best.text)} {place} ({', '.join(facts)})"
    if other is not None and quoted(other.text):
        text += f"; {'a part of it' if other.is_part else 'also used'}: {quoted(other.text)}"
        text += f" in {quoted(other.folder)}" if other.folder and other.folder != best.folder else ""
    return f"{text}."


def _cannot_run(choices: Sequence[Choice], sightings: Sequence[Sighting[CommandsSeen]]) -> tuple[Trigger, ...]:
    """What was tried for the same purpose and could not run: the item helps there."""
    known = {choice.text for choice in choices}
    failed = {form.text for _, seen in sightings for form in seen.forms if form.text not in known and not form.is_part}
    words = [text.split() for text in sorted(failed)[:_MOST_TRIGGERS]]
    return tuple(Trigger(program=first.rpartition("/")[2], words=tuple(rest)) for first, *rest in words)
