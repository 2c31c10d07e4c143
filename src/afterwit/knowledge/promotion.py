"""What holds everywhere: a matter that two repositories or more show, with nothing of them in it.

Pitfalls and quirks of tools, and what users say, are promoted. Facts that were measured in a repository stay there:
that two repositories run their tests alike says nothing about a third. So do rules, places and anything that names a
file or a script that a repository defines.
"""

import re
from collections.abc import Iterable, Sequence

import msgspec

from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.tree import Command
from afterwit.model.knowledge import EVERYWHERE, Category, Channel, Draft, Scope, ScopeKind

_REPOS = 2
_GENERAL = (Category.PITFALL, Category.TOOL_QUIRK)
_RUNNERS = frozenset("make gmake just task rake mage invoke inv doit tox nox grunt gulp ninja".split())  # noqa: SIM905
_SCRIPTED = frozenset("npm pnpm yarn bun deno composer mise poe pdm hatch turbo nx lerna rush".split())  # noqa: SIM905
_OWN = frozenset("install add remove ci init create update outdated audit publish exec x dlx use".split())  # noqa: SIM905
_QUOTE = re.compile(r"`([^`]*)`")
_PATH = re.compile(r"^\.{0,2}/?[\w@.-]+(?:/[\w@.*-]+)+/?$|^[\w-]+\.[a-z]{1,5}$")
_OPENING = re.compile(r"^In `(?P<repo>[^`]+)`(?:,|:)? (?P<rest>\S.*)$", re.DOTALL)


def everywhere(drafts: Sequence[Draft]) -> tuple[Draft, ...]:
    """The drafts, any of which can stand for their matter everywhere; none where it stays with its repositories.

    The drafts are of one matter, one for each repository and perhaps one that holds everywhere already.
    """
    if len({(draft.category, draft.channel, draft.advice) for draft in drafts}) > 1:
        return ()
    holds = tuple(draft for draft in drafts if draft.scope == EVERYWHERE)
    local = [draft for draft in drafts if draft.scope.kind is ScopeKind.REPO]
    if holds and local:
        return holds
    if len(local) < _REPOS:
        return ()
    general = [one for draft in local if (one := _general(draft))]
    return tuple(general) if len(general) == len(local) else ()


def depends_on_repo(draft: Draft) -> bool:
    """Whether there is anything of a repository in it."""
    if draft.files or any(trigger.path or trigger.rule or trigger.topic for trigger in draft.triggers):
        return True
    lines = [draft.advice, *_QUOTE.findall(draft.sentence)]
    lines += [" ".join((trigger.program, *trigger.words)) for trigger in draft.triggers]
    return any(_is_of_repo(line) for line in lines if line)


def _general(draft: Draft) -> Draft | None:
    """The draft without the repository's name; None where it depends on it."""
    if draft.category not in _GENERAL and draft.channel is not Channel.USER:
        return None
    sentence = _without_opening(draft.sentence, draft.scope)
    general = msgspec.structs.replace(draft, scope=EVERYWHERE, sentence=sentence)
    names = {draft.scope.name, draft.scope.name.rpartition("/")[2]} - {""}
    if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", sentence + " " + draft.advice) for name in names):
        return None
    return None if depends_on_repo(general) else general


def _without_opening(sentence: str, scope: Scope) -> str:
    opening = _OPENING.match(sentence)
    if opening is None or opening["repo"].rpartition("/")[2] != scope.name.rpartition("/")[2]:
        return sentence
    rest = opening["rest"]
    return rest[0].upper() + rest[1:]


def _is_of_repo(line: str) -> bool:
    return any(_runs_script(command) or _names_path(command) for command in parsed(line).commands)


def _runs_script(command: Command) -> bool:
    """Whether the repository defines what this runs."""
    if command.program in _RUNNERS:
        return bool(command.arguments)
    own = command.arguments[0] if command.arguments else ""
    return command.program in _SCRIPTED and bool(own) and not own.startswith("-") and own not in _OWN


def _names_path(command: Command) -> bool:
    words: Iterable[str] = (word.text for word in command.words)
    return any(_PATH.match(word) for word in words)
