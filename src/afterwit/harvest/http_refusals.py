"""Requests that a service refused (HTTP 401, 403, 405), why, and with what the same request went through.

A merge, a push or a publication is refused because of who asks; the message seldom says what to do about it, and every
session finds that out again. What is learned is what the request that worked had and the refused one had not: the file
or the variable that its token came from, or another program. Of reasons only those are named that are listed here,
where the answer or the agent says so: foreign words are never told. A token itself is redacted long before; what is
named is where it lies. Options that were added are left to `corrections`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from afterwit.actions.failures.signature import answerable_signature
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.tree import Command
from afterwit.harvest.commands.invocations import command_at
from afterwit.harvest.harvester import (
    Grouped,
    by_repo,
    commonest,
    commonest_signatures,
    outcomes,
    plain,
    quote,
    rank_counts,
    sentence,
    stories_in,
    story_counts,
    unique,
)
from afterwit.model.digest import Digest
from afterwit.model.kinds import ActionKind, Lean, Status, Step
from afterwit.model.knowledge import Category, Channel, Draft, Scope, Seen, Sighting, Trigger
from afterwit.model.text import regex, words_of
from afterwit.redaction.hygiene import danger_in
from afterwit.redaction.plain_names import is_plain_name, is_plain_path

_STATUS = regex(r"\bHTTP(?:/[\d.]+)?[ :=]{1,3}(40[135])\b|\breturned error: (40[135])\b|^(40[135])$", re.MULTILINE)
_REFUSED = regex(
    r"\bnot allowed to\b|\bprotected branch\b|\bbranch protection\b|\bresource not accessible\b"
    r"|\bmust have (?:\w+ )?(?:access|permission|rights)",
    re.IGNORECASE,
)
_REASONS = (
    ("branch protection", r"\bbranch protection\b|\bprotected branch|\bbranch(?:es)? (?:is|are) protected\b"),
    ("missing approvals", r"\benough approvals\b|\bapproving review\b|\bapprovals? (?:is|are) (?:missing|required)\b"),
    ("a token without the right scope", r"\b(?:insufficient|missing|wrong|right) scope|\bscope\b.{0,30}\btoken\b"),
    ("an expired token", r"\btoken\b.{0,20}\bexpired\b|\bexpired token\b"),
)  # fmt: skip
_FINDERS = tuple((reason, regex(form, re.IGNORECASE)) for reason, form in _REASONS)
_ADDRESS = regex(r"https?://[^\s'\"]+|(?<![\w/])/?repos/[^\s'\"]+")
_INTERFACE = regex(r"https?://[^\s'\"]+/repos/[^\s'\"]+")  # inside of a script
_SEGMENT = regex(r"[a-z_-]{3,20}")
_CLIENTS = frozenset(("curl", "http", "wget", "xh"))
_READ_FROM = regex(r"(?:\bcat\s+|<\s*|@|\bopen\(|\bPath\()[\"']?((?:~|\.{1,2})?/[\w./-]+)")
_VARIABLE = regex(r"\$\{?([A-Z][A-Z0-9_]{2,40})\}?|\b([A-Z][A-Z0-9_]{2,40})=")
_CREDENTIAL = regex(r"TOKEN|KEY|PASS|SECRET|CRED|AUTH|_PAT\b")
_VERBS = frozenset("approve clone close create delete deploy dispatch login merge publish push release upload".split())  # noqa: SIM905
_REACH = 25
_SHOWN = 2
_TWO = 2


class RefusedRequest(Seen, frozen=True, kw_only=True, omit_defaults=True):
    signature: str
    call: str  # the program, with its subcommand
    status: str = ""
    reason: str = ""
    way: str = ""  # what let it through, as kind and name


class _Way(NamedTuple):
    kind: str
    name: str


class HttpRefusals:
    name = "http-refusals"
    version = 1
    minimum_stories = 2
    seen = RefusedRequest

    def see(self, digest: Digest) -> Iterable[Grouped[RefusedRequest]]:
        refused = (grouped for at in _failure_steps(digest) for grouped in _see_refusal(digest, at))
        return unique(refused, lambda call: (call.group, call.seen.signature, call.seen.way))

    def conclude(self, group: str, sightings: Sequence[Sighting[RefusedRequest]]) -> Iterable[Draft]:
        for scope, same in by_repo(sightings).items():
            yield from _draft(group, scope, same)


def _failure_steps(digest: Digest) -> Iterator[int]:
    """Failures; and calls that look like one although their exit code says nothing: `curl` ends with 0 whatever the
    server answered."""
    yield from (failure.at for failure in digest.failures)
    for at, step in enumerate(digest.steps):
        if step.kind is ActionKind.SHELL and step.status is Status.UNKNOWN and step.lean is Lean.FAILED:
            yield at


def _signature(digest: Digest, at: int) -> str:
    named = next((failure.signature for failure in digest.failures if failure.at == at), None)
    if named is not None:
        return named
    step = digest.steps[at]
    return answerable_signature(
        Step(step.kind, step.tool, step.target, Status.FAILED, None, step.exit_code, error=step.error)
    )


def _see_refusal(digest: Digest, at: int) -> Iterator[Grouped[RefusedRequest]]:
    error, line = digest.steps[at].error, command_at(digest.steps, at)
    status = _STATUS.search(error)
    aim = aim_of(line) if line and (status or _REFUSED.search(error)) else None
    if aim is None:
        return
    worked = _later_success(digest, at, aim)
    way = _way_out(digest, at, worked) if worked is not None else None
    seen = RefusedRequest(
        at=at,
        excerpt=error.partition("\n")[0][:120],
        signature=_signature(digest, at),
        call=aim.call,
        status=next(filter(None, status.groups()), "") if status else "",
        reason=_reason(digest, at),
        way=" ".join(way) if way else "",
    )
    yield Grouped(aim.name, seen)


class Aim(NamedTuple):
    """What a request is for: `merge`, whichever program asks for it."""

    name: str
    call: str


def aim_of(line: str) -> Aim | None:
    """What a command line asks a service for; None where that cannot be told."""
    tree = parsed(line)
    aim = next((aim for command in tree.commands if (aim := _aim_of(command)) is not None), None)
    if aim is None and tree.main is not None and is_plain_name(tree.main.program):
        name = _aim_in(_INTERFACE.findall(line))
        return Aim(name, tree.main.program) if name else None
    return aim


def _aim_in(addresses: Iterable[str]) -> str:
    """The last plain word of an address: `merge` of `…/pulls/4/merge`."""
    names = (part for address in addresses for part in reversed(address.partition("?")[0].split("/")[3:]))
    return next((part for part in names if _SEGMENT.fullmatch(part)), "")


def _aim_of(command: Command) -> Aim | None:
    is_plain_request = command.program in _CLIENTS or command.subcommand == "api"
    if is_plain_request:
        name = _aim_in(match[0] for word in command.arguments for match in _ADDRESS.finditer(word))
        return Aim(name, f"{command.program} {command.subcommand}".strip()) if name else None
    if command.program not in ("gh", "glab", "tea", "git", "npm", "docker") or not command.subcommand:
        return None
    call = f"{command.program} {command.subcommand}"
    return Aim(call.rpartition(" ")[2], call) if is_plain_name(call.replace(" ", "-")) else None


def _later_success(digest: Digest, at: int, aim: Aim) -> int | None:
    """The first request for the same that went through."""
    for later in range(at + 1, min(at + 1 + _REACH, len(digest.steps))):
        line = command_at(digest.steps, later)
        if line and _went_through(digest.steps[later]) and (other := aim_of(line)) and other.name == aim.name:
            return later
    return None


def _went_through(step: Step) -> bool:
    """Whether a request was answered otherwise: logs without exit codes only show that it was not refused again."""
    return step.has_worked or (step.status is Status.UNKNOWN and step.lean is None)


def _way_out(digest: Digest, at: int, worked: int) -> _Way | None:
    """What the request that worked had, or was prepared with, and the refused one had not."""
    failed, fixed = (plain(command_at(digest.steps, step)) for step in (at, worked))
    between = (step for step in range(worked - 1, at, -1) if digest.steps[step].has_worked)
    prepared = (plain(command_at(digest.steps, step)) for step in between)
    lines = [fixed, *(line for line in prepared if _CREDENTIAL.search(line.upper()))]
    for line in lines:
        for path in _READ_FROM.findall(line):
            if path not in failed and is_plain_path(path) and not danger_in(path):
                return _Way("file", path)
    for line in lines:
        for name in filter(None, (name for match in _VARIABLE.finditer(line) for name in match.groups())):
            if name not in failed and _CREDENTIAL.search(name):
                return _Way("variable", name)
    return _other_call(failed, fixed)


def _other_call(failed: str, fixed: str) -> _Way | None:
    before, after = aim_of(failed), aim_of(fixed)
    if before is None or after is None:
        return None
    return _Way("call", after.call) if before.call != after.call else None


def _reason(digest: Digest, at: int) -> str:
    """A listed reason, where the answer names it or the agent does afterwards."""
    started = digest.started_ms or 0
    failed_ms = started + (digest.steps[at].at_s or 0) * 1000
    said = (said.text for said in digest.stated if not said.is_person and (said.at_ms or failed_ms) >= failed_ms - 1000)
    errors = (step.error for step in digest.steps[at : at + _REACH])
    text = "\n".join((*errors, *said, digest.ending, *digest.summaries))
    return next((reason for reason, form in _FINDERS if form.search(text)), "")


def _draft(group: str, scope: Scope, same: Sequence[Sighting[RefusedRequest]]) -> Iterator[Draft]:
    way = _commonest(same, "way")
    reason, status = _commonest(same, "reason"), _commonest(same, "status")
    kind, _, name = way.partition(" ")
    help_words = _help(kind, name)
    named = rank_counts(story_counts((seen.call, session.story) for session, seen in same))
    calls = [quote(call if call.endswith(group) else f"{call} …/{group}", 40) for call in named]
    if not (help_words or reason) or not all(calls):
        return
    refusal = f"HTTP {status}" if status else "a refusal"
    words = f"{refusal} at {' or '.join(calls[:_SHOWN])} here"
    words += f" means {reason}" if reason else " depends on who asks"
    telling = [
        sighting
        for sighting in same
        if (way and sighting.seen.way == way) or (reason and sighting.seen.reason == reason)
    ]
    yield Draft(
        harvester=HttpRefusals.name,
        key=(group,),
        scope=scope,
        category=Category.PITFALL,
        sentence=sentence(f"{words}; {help_words}." if help_words else f"{words}."),
        channel=Channel.OUTCOME,
        triggers=tuple(_triggers(group, same)),
        evidence=outcomes(telling),
        saves=3.0,
    )


def _help(kind: str, name: str) -> str:
    if not kind or not quote(name):
        return ""
    shown = quote(f"${name}" if kind == "variable" else name, 80)
    return {
        "file": f"it worked with the token in {shown}",
        "variable": f"it worked with the token in {shown}",
        "call": f"it worked with {shown}",
    }[kind]


def _triggers(group: str, same: Sequence[Sighting[RefusedRequest]]) -> Iterator[Trigger]:
    """The failures; and prompts that name the request, where its name is what somebody would ask for."""
    for signature in commonest_signatures(sighting.seen.signature for sighting in same):
        yield Trigger(signature=signature)
    words = words_of(group)
    if words:
        yield Trigger(topic=tuple(words) if group in _VERBS else tuple(sorted({*words, "http"})))


def _commonest(same: Sequence[Sighting[RefusedRequest]], field: str) -> str:
    """What most stories say; what one of several says alone may have been chance."""
    counts = story_counts((getattr(seen, field), session.story) for session, seen in same)
    best = commonest(counts)
    return best if counts[best] >= min(_TWO, len(stories_in(same))) else ""
