"""Requests that a service refused, why, and with what the same request went through.

A merge, a push or a publication is refused (HTTP 401, 403, 405) because of who asks; every session finds out again what
to do about it. Learned is what the request that worked had and the refused one had not: the file or the variable that
its token came from, another program, or an approval in between. Where anything else was changed, no way is named: that
may have been it. Beside these: a token that lies elsewhere, and an address that is not found without its last slash. Of
reasons only those are named that are listed here, where the answer or the agent says so: foreign words are never told.
Options that were added are left to `corrections`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from afterwit.actions.failures import messages as says
from afterwit.actions.failures.excerpt import refused_status
from afterwit.actions.quick_look import names_missing
from afterwit.actions.steps import command_of
from afterwit.harvest.harvester import (
    Grouped,
    by_repo,
    commonest,
    commonest_signatures,
    failures_of,
    outcomes,
    quote,
    rank_counts,
    sentence,
    stories_in,
    story_counts,
    unique,
)
from afterwit.harvest.requests import (
    Aim,
    addresses_in,
    aim_of,
    are_related,
    asks,
    changes_something,
    does_work,
    methods_in,
    path_of,
    tidy,
    token_paths_in,
    token_sources,
)
from afterwit.model.digest import Digest, Failure
from afterwit.model.kinds import ActionKind, Step
from afterwit.model.knowledge import Category, Channel, Draft, Scope, Seen, Sighting, Trigger
from afterwit.model.text import regex, words_of
from afterwit.redaction.plain_names import is_plain_path

_BY_RIGHTS = ("401", "403", "405")
_REFUSED = regex(
    r"\bnot allowed to\b|\bprotected branch\b|\bbranch protection\b|\bresource not accessible\b|\bmethod not allowed\b"
    r"|\bmust have (?:\w+ )?(?:access|permission|rights)|\btoken (?:is )?(?:required|missing)\b|\bbad credentials\b"
    r"|\bauthentication (?:is )?required\b|\brequires authentication\b|\bapproving review\b|\benough approvals\b",
    re.IGNORECASE,
)
_NOT = r"(?<!not )(?<!no )(?<!n't )(?<!without )"
_REASONS = (
    ("branch protection", rf"{_NOT}\b(?:branch protection|protected branch|protection rule)"
        r"|\b(?:branch(?:es)?|main|master|trunk|develop)\b[`'\"]? (?:is|are) protected\b"),
    ("missing approvals", r"\b(?:enough approvals|approving review|approvals? (?:is|are) (?:missing|required))\b"
        rf"|{_NOT}\b(?:needs?|requires?|wants?) (?:an? |one |\d )?(?:\w+ )?(?:approvals?|approving)\b"),
    ("a token without the right scope", r"\b(?:insufficient|missing|wrong|right) scope|\bscope\b.{0,30}\btoken\b"),
    ("an expired token", r"\btoken\b.{0,20}\bexpired\b|\bexpired token\b"),
)  # fmt: skip
_FINDERS = tuple((reason, regex(form, re.IGNORECASE)) for reason, form in _REASONS)
_NO_TOKEN = regex(r"\btoken (?:is )?(?:required|missing)\b|\bauthentication (?:is )?required\b", re.IGNORECASE)
_NOT_FOUND = regex(r"\bnot found\b", re.IGNORECASE)
_NUMBERS = regex(r"/(?:\d+|\{\w*\}|\$\{?\w+\}?)(?=/)")
_APPROVING = frozenset(("approval", "approvals", "approve", "review", "reviews"))
_VERBS = frozenset("approve clone close create delete deploy dispatch login merge publish push release upload".split())  # noqa: SIM905
_APPROVED = "after an approval"
_REACH = 25
_SHOWN = 2
_TWO = 2


class RefusedRequest(Seen, frozen=True, kw_only=True, omit_defaults=True):
    signature: str
    call: str  # the program, with its subcommand
    status: str = ""
    reason: str = ""
    way: str = ""  # what let it through, in words
    fact: str = ""  # what it showed besides, as a sentence


class HttpRefusals:
    name = "http-refusals"
    version = 3
    minimum_stories = 2
    seen = RefusedRequest

    def see(self, digest: Digest) -> Iterable[Grouped[RefusedRequest]]:
        refused = (grouped for failure in failures_of(digest) for grouped in _see_failure(digest, failure))
        return unique(refused, lambda call: (call.group, call.seen.signature, call.seen.way))

    def conclude(self, group: str, sightings: Sequence[Sighting[RefusedRequest]]) -> Iterable[Draft]:
        for scope, same in by_repo(sightings).items():
            yield from _draft(group, scope, same)


def _see_failure(digest: Digest, failure: Failure) -> Iterator[Grouped[RefusedRequest]]:
    """A token that lies elsewhere explains a refusal, and so does a slash; only other ones are looked at further."""
    at, signature = failure.at, failure.signature
    error, line = digest.steps[at].error, command_of(digest.steps, at)
    excerpt, status = error.partition("\n")[0][:120], refused_status(error)
    besides = _find_misplaced(digest, at) or _find_slash(digest, at, line, status)
    if besides is not None:
        group, fact = besides
        yield Grouped(group, RefusedRequest(at=at, excerpt=excerpt, signature=signature, call="", fact=fact))
        return
    is_refused = status in _BY_RIGHTS or (status in ("", "422") and _REFUSED.search(error) is not None)
    aim = aim_of(line) if line and is_refused and not says.RATE.are_in(error) else None
    if aim is not None:
        way = _way_out(digest, at, aim)
        reason = _reason(digest, at, aim) or ("missing approvals" if way.startswith(_APPROVED) else "")
        seen = RefusedRequest(at=at, excerpt=excerpt, signature=signature, call=aim.call, status=status)
        yield Grouped(aim.name, msgspec.structs.replace(seen, reason=reason, way=way))


def _later(digest: Digest, at: int) -> Iterator[tuple[Step, str]]:
    """The steps in which a refusal is overcome, each with what it runs."""
    for later in range(at + 1, min(at + 1 + _REACH, len(digest.steps))):
        yield digest.steps[later], command_of(digest.steps, later)


def _way_out(digest: Digest, at: int, aim: Aim) -> str:
    """What the first request for the same that went through had, or was prepared with, and the refused ones had not;
    "" where none did, nothing tells them apart, or something else was changed in between."""
    refused, prepared = [tidy(command_of(digest.steps, at))], list[str]()
    approval, has_changed = "", False
    for step, line in _later(digest, at):
        other = aim_of(line) if line else None
        if aim.is_same(other) and not step.may_have_worked:
            refused, prepared, approval, has_changed = [*refused, *prepared, tidy(line)], [], "", False
        elif aim.is_same(other) and other is not None:
            is_other_method = other.call == aim.call and methods_in(line) != methods_in(command_of(digest.steps, at))
            if approval or has_changed or is_other_method:
                return (
                    "" if has_changed or is_other_method else f"{_APPROVED} {_difference(refused, [approval])}".strip()
                )
            other_call = f"with {quote(other.call, 80)}" if other.call != aim.call else ""
            return _difference(refused, [tidy(line), *reversed(prepared)]) or other_call
        elif not step.has_worked or not line:
            has_changed = has_changed or step.has_changed
        elif other is not None and other.name in _APPROVING and changes_something(line):
            approval = tidy(line)
        elif changes_something(line):
            has_changed = True
        elif not asks(line):
            prepared.append(tidy(line))
    return ""


def _difference(refused: Sequence[str], lines: Sequence[str]) -> str:
    """The file, else the variable, that a token came from, in words."""
    before, sources = "\n".join(refused), [source for line in lines for source in token_sources(line)]
    new = [source for source in sources if source.removeprefix("$") not in before]
    source = quote(min(new, key=lambda source: source.startswith("$"), default=""), 80)
    return f"with the token in {source}" if source else ""


def _reason(digest: Digest, at: int, aim: Aim) -> str:
    """A listed reason, where the answer names it or the agent does afterwards."""
    failed_ms = (digest.started_ms or 0) + (digest.steps[at].at_s or 0) * 1000
    said = (said.text for said in digest.stated if not said.is_person and (said.at_ms or failed_ms) >= failed_ms - 1000)
    errors = (step.error for step, line in _later(digest, at) if step.error and line and aim.is_same(aim_of(line)))
    own = digest.steps[at].error
    text = "\n".join((own, *errors, *said, digest.ending, *digest.summaries))
    reason = next((reason for reason, form in _FINDERS if form.search(text)), "")
    return reason or ("a missing token" if _NO_TOKEN.search(own) else "")


def _find_misplaced(digest: Digest, at: int) -> tuple[str, str] | None:
    """A file with a token that is not there, and the one from which it was then read and taken by a service."""
    error, kept = tidy(digest.steps[at].error), ""
    missing = [path for path in token_paths_in(error) if names_missing(path, error)]
    for step, line in _later(digest, at) if missing else ():
        text = tidy(line or (f"cat {step.target}" if step.kind is ActionKind.READ else ""))
        if step.has_failed and line and asks(line):
            kept = ""  # what was read until then did not help
        elif step.may_have_worked:
            kept = next((path for path in token_sources(text) if path not in missing and path[0] != "$"), kept)
            is_again = line and (aim := aim_of(command_of(digest.steps, at))) is not None and aim.is_same(aim_of(line))
            if kept and line and asks(line) and (is_again or are_related(missing[0], kept)):
                return kept, f"The token that is not in {quote(missing[0], 80)} lies in {quote(kept, 80)}"
    return None


def _find_slash(digest: Digest, at: int, line: str, status: str) -> tuple[str, str] | None:
    """An address that is not found until it ends with a slash; nothing else of it was changed."""
    is_missing = status == "404" or (not status and _NOT_FOUND.search(digest.steps[at].error) is not None)
    without = set(addresses_in(line)) if line and is_missing and asks(line) else set()
    later = [(step, other) for step, other in _later(digest, at) if without and step.may_have_worked]
    answered = [address for _, other in later if other and asks(other) for address in addresses_in(other)]
    for step, other in later:
        path = next((address for address in without if f"{address}/" in addresses_in(other)), "")
        shown = _NUMBERS.sub("/…", path_of(path))
        if (
            path
            and methods_in(line) == methods_in(other)
            and path not in answered
            and is_plain_path(shown.replace("…", "n"))
        ):
            ended = quote(f"{shown}/", 80)
            return shown, f"{quote(shown, 80)} answers HTTP 404 here; it is found with a slash at its end, {ended}"
        if step.has_changed or (other and (changes_something(other) or (does_work(other) and not addresses_in(other)))):
            return None  # that may have been it
    return None


def _draft(group: str, scope: Scope, same: Sequence[Sighting[RefusedRequest]]) -> Iterator[Draft]:
    fact = commonest(story_counts((seen.fact, session.story) for session, seen in same))
    way, reason = _commonest(same, "way"), _commonest(same, "reason")
    words = fact or _words_of_refusal(group, same, way, reason)
    telling = (row for row in same if fact or (way and row.seen.way == way) or (reason and row.seen.reason == reason))
    topic = [] if fact else words_of(group)
    asked = Trigger(topic=tuple(topic) if group in _VERBS else tuple(sorted({*topic, "http"})))
    signatures = commonest_signatures(sighting.seen.signature for sighting in same if sighting.seen.signature)
    if words:
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


def _words_of_refusal(group: str, same: Sequence[Sighting[RefusedRequest]], way: str, reason: str) -> str:
    """What the refusal means and what helped; "" where neither is known."""
    named = rank_counts(story_counts((seen.call, session.story) for session, seen in same))
    calls = [quote(call if call.endswith(group) else f"{call} …/{group}", 40) for call in named]
    status = _commonest(same, "status")
    words = f"HTTP {status}" if status else "a refusal"
    words += f" at {' or '.join(calls[:_SHOWN])} here"
    words += f" means {reason}" if reason else " depends on who asks"
    return words + (f"; it worked {way}" if way else "") if (way or reason) and all(calls) else ""


def _commonest(same: Sequence[Sighting[RefusedRequest]], field: str) -> str:
    """What most stories say; what one of several says alone may have been chance."""
    counts = story_counts((getattr(seen, field), session.story) for session, seen in same)
    best = commonest(counts)
    return best if counts[best] >= min(_TWO, len(stories_in(same))) else ""
