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
from afterwit.actions.steps import command_of
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

_STATUS = regex(r"(?m)\bHTTP(?:/[\d.]+)?[ :=]{1,3}(40[135])\b|\breturned error: (40[135])\b|^(40[135])$")
_REFUSED = regex(
    r"(?i)\bnot allowed to\b|\bprotected branch\b|\bbranch protection\b|\bresource not accessible\b"
    r"|\bmust have (?:\w+ )?(?:access|permission|rights)",
)
_REASONS = (
    ("branch protection", r"\bbranch protection\b|\bprotected branch|\bbranch(?:es)? (?:is|are) protected\b"),
    ("missing approvals", r"\benough approvals\b|\bapproving review\b|\bapprovals? (?:is|are) (?:missing|required)\b"),
    ("a token without the right scope", r"\b(?:insufficient|missing|wrong|right) scope|\bscope\b.{0,30}\btoken\b"),
    ("an expired token", r"\btoken\b.{0,20}\bexpired\b|\bexpired token\b"),
)  # fmt: skip
_FINDERS = tuple((reason, regex(form, re.IGNORECASE)) for reason, form in _REASONS)
_ADDRESS = regex(r"https?://[^\s'\"]+|(?<![\w/])/?repos/[^\s'\"]+")
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


class HttpRefusals:
    name = "http-refusals"
    version = 2
    minimum_stories = 2
    seen = RefusedRequest

    def see(self, digest: Digest) -> Iterable[Grouped[RefusedRequest]]:
        refused = (grouped for at, signature in _failures(digest) for grouped in _see_refusal(digest, at, signature))
        return unique(refused, lambda call: (call.group, call.seen.signature, call.seen.way))

    def conclude(self, group: str, sightings: Sequence[Sighting[RefusedRequest]]) -> Iterable[Draft]:
        for scope, same in by_repo(sightings).items():
            yield from _draft(group, scope, same)


def _failures(digest: Digest) -> Iterator[tuple[int, str]]:
    """Failures with their signatures; and calls that look like one although their exit code says nothing: `curl` ends
    with 0 whatever the server answered."""
    yield from ((failure.at, failure.signature) for failure in digest.failures)
    for at, step in enumerate(digest.steps):
        if step.kind is ActionKind.SHELL and step.status is Status.UNKNOWN and step.lean is Lean.FAILED:
            failed = Step(step.kind, step.tool, step.target, Status.FAILED, None, step.exit_code, error=step.error)
            yield at, answerable_signature(failed)


def _see_refusal(digest: Digest, at: int, signature: str) -> Iterator[Grouped[RefusedRequest]]:
    error, line = digest.steps[at].error, command_of(digest.steps, at)
    status = _STATUS.search(error)
    aim = aim_of(line) if line and (status or _REFUSED.search(error)) else None
    if aim is None:
        return
    seen = RefusedRequest(
        at=at,
        excerpt=error.partition("\n")[0][:120],
        signature=signature,
        call=aim.call,
        status=next(filter(None, status.groups()), "") if status else "",
        reason=_reason(digest, at),
        way=_way_out(digest, at, aim),
    )
    yield Grouped(aim.name, seen)


class Aim(NamedTuple):
    """What a request is for: `merge`, whichever program asks for it."""

    name: str
    call: str


def aim_of(line: str) -> Aim | None:
    """What a command line asks a service for; None where that cannot be told."""
    return next((aim for command in parsed(line).commands if (aim := _aim_of(command)) is not None), None)


def _aim_of(command: Command) -> Aim | None:
    """The last plain word of an address (`merge` of `…/pulls/4/merge`), or of what a client calls it."""
    call = f"{command.program} {command.subcommand}".strip()
    if command.program in _CLIENTS or command.subcommand == "api":
        addresses = (match[0] for word in command.arguments for match in _ADDRESS.finditer(word))
        parts = (part for address in addresses for part in reversed(address.partition("?")[0].split("/")[3:]))
        name = next((part for part in parts if _SEGMENT.fullmatch(part)), "")
        return Aim(name, call) if name else None
    is_asking = command.program in ("gh", "glab", "tea", "git", "npm", "docker") and command.subcommand
    return Aim(call.rpartition(" ")[2], call) if is_asking and is_plain_name(call.replace(" ", "-")) else None


def _way_out(digest: Digest, at: int, aim: Aim) -> str:
    """What the first request for the same that went through had, or was prepared with, and the refused one had not;
    "" where none did, or nothing tells them apart. Logs without exit codes only show that it was not refused again."""
    failed, prepared = plain(command_of(digest.steps, at)), list[str]()
    for later in range(at + 1, min(at + 1 + _REACH, len(digest.steps))):
        step, line = digest.steps[later], command_of(digest.steps, later)
        other = aim_of(line) if line else None
        went_through = step.has_worked or (step.status is Status.UNKNOWN and step.lean is None)
        if other and other.name == aim.name and went_through:
            credentials = (line for line in reversed(prepared) if _CREDENTIAL.search(line.upper()))
            return _difference(failed, [plain(line), *credentials]) or _other_call(aim, plain(line))
        prepared += [plain(line)] if step.has_worked else []
    return ""


def _difference(failed: str, lines: Sequence[str]) -> str:
    """The file, else the variable, that a token came from."""
    paths = (path for line in lines for path in _READ_FROM.findall(line) if path not in failed)
    file = next((path for path in paths if is_plain_path(path) and not danger_in(path)), "")
    if file:
        return f"file {file}"
    named = (name for line in lines for match in _VARIABLE.finditer(line) for name in match.groups() if name)
    variable = next((name for name in named if name not in failed and _CREDENTIAL.search(name)), "")
    return f"variable {variable}" if variable else ""


def _other_call(aim: Aim, fixed: str) -> str:
    after = aim_of(fixed)
    return f"call {after.call}" if after is not None and after.call != aim.call else ""


def _reason(digest: Digest, at: int) -> str:
    """A listed reason, where the answer names it or the agent does afterwards."""
    started = digest.started_ms or 0
    failed_ms = started + (digest.steps[at].at_s or 0) * 1000
    said = (said.text for said in digest.stated if not said.is_person and (said.at_ms or failed_ms) >= failed_ms - 1000)
    errors = (step.error for step in digest.steps[at : at + _REACH])
    text = "\n".join((*errors, *said, digest.ending, *digest.summaries))
    return next((reason for reason, form in _FINDERS if form.search(text)), "")


def _draft(group: str, scope: Scope, same: Sequence[Sighting[RefusedRequest]]) -> Iterator[Draft]:
    way, reason, status = (_commonest(same, field) for field in ("way", "reason", "status"))
    kind, _, name = way.partition(" ")
    shown = quote(f"${name}" if kind == "variable" else name, 80) if kind else ""
    named = rank_counts(story_counts((seen.call, session.story) for session, seen in same))
    calls = [quote(call if call.endswith(group) else f"{call} …/{group}", 40) for call in named]
    if not (shown or reason) or not all(calls):
        return
    words = f"HTTP {status}" if status else "a refusal"
    words += f" at {' or '.join(calls[:_SHOWN])} here"
    words += f" means {reason}" if reason else " depends on who asks"
    words += f"; it worked with {shown if kind == 'call' else f'the token in {shown}'}" if shown else ""
    telling = (row for row in same if (way and row.seen.way == way) or (reason and row.seen.reason == reason))
    topic = words_of(group)
    asked = Trigger(topic=tuple(topic) if group in _VERBS else tuple(sorted({*topic, "http"})))
    signatures = commonest_signatures(sighting.seen.signature for sighting in same)
    yield Draft(
        harvester=HttpRefusals.name,
        key=(group,),
        scope=scope,
        category=Category.PITFALL,
        sentence=sentence(f"{words}."),
        channel=Channel.OUTCOME,
        triggers=(*(Trigger(signature=signature) for signature in signatures), *([asked] if topic else [])),
        evidence=outcomes(telling),
        saves=3.0,
    )


def _commonest(same: Sequence[Sighting[RefusedRequest]], field: str) -> str:
    """What most stories say; what one of several says alone may have been chance."""
    counts = story_counts((getattr(seen, field), session.story) for session, seen in same)
    best = commonest(counts)
    return best if counts[best] >= min(_TWO, len(stories_in(same))) else ""
