"""Questions: failures that were still open when a session ended, until a later one shows them solved.

Only checks that found fault with the code, with nothing edited afterwards, and commands that the machine did not let
run: a search that finds nothing or a wrong path leaves no question. A question is closed, with evidence, when the same
command works in a later story; what could not run is closed already when it runs at all. So what is open was left so by
the latest story that tried.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from afterwit.actions.checks import is_checking
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.programs import Weight
from afterwit.actions.shell.tree import Command
from afterwit.guard.plain_names import reads_like_a_sentence
from afterwit.harvest.commands.invocations import command_at, form_of
from afterwit.harvest.commands.purposes import purpose_of
from afterwit.harvest.harvester import Grouped, evidence_of, first_later, grouped_by, in_order, outcomes
from afterwit.harvest.rule_names import is_known_rule
from afterwit.harvest.wording import quoted, sentence, shown_repo
from afterwit.model.digest import Digest, Failure
from afterwit.model.kinds import CHANGES, ActionKind, FailureClass
from afterwit.model.knowledge import Category, Channel, Draft, Scope, ScopeKind, Seen, Sighting, Trigger
from afterwit.text.patterns import regex

_MOST_OPEN = 3  # a session
_MOST_PROGRAMS = 6
_MOST_HEADS = 6
_MOST_CODES = 2
_RULES = "rules "  # how the signature of a check that reports rules begins
_CODE = regex(r"\b[A-Z]{1,6}\d{3,5}\b")
_REASONS = tuple(
    (regex(form, re.IGNORECASE), words)
    for form, words in (
        (r"docker daemon|docker\.sock", "the container service was not running"),
        (r"command not found|: not found$|executable file not found|not recognized as", "a program is missing"),
        (r"no module named|cannot find (?:module|package)|module_not_found", "a module is missing"),
        (r"permission denied|EACCES|operation not permitted|EPERM|read-only file system", "it lacks a permission"),
        (r"ECONNREFUSED|connection refused|could not connect|cannot connect", "a service could not be reached"),
        (r"no such host|could not resolve|ENOTFOUND|name resolution|network is unreachable", "there was no network"),
        (r"EADDRINUSE|address already in use|port .{0,20}in use", "the port was in use"),
        (r"unauthori[sz]ed|authenticat|forbidden|not logged in|credentials?|\b40[13]\b", "it was not let in"),
        (r"no space left|ENOSPC", "the disk was full"),
        (r"out of memory|ENOMEM|heap", "memory ran out"),
        (r"timed? ?out|deadline exceeded", "it took too long"),
        (r"assert|test|spec\b|expected", "tests fail"),
        (r"syntax|parse|unexpected token", "the code cannot be read"),
        (r"type ?error|type\b.*\bassign|cannot find name|undefined", "types or names do not fit"),
    )
)
"""What a signature gives away, in words of ours."""
_GIT_HOOKS = ("commit", "push")
_INLINE = frozenset(("-e", "-c", "--eval", "-p"))  # code of the moment


class QuestionSeen(Seen, frozen=True, kw_only=True):
    """What a session left open of one program, or what of it worked."""

    command: str = ""  # that was left failing, in general form
    head: str = ""  # its program and subcommand
    signature: str = ""
    is_work: bool = False
    worked: tuple[str, ...] = ()  # heads
    ran: tuple[str, ...] = ()  # heads that at least ran

    def is_solved_by(self, later: "QuestionSeen") -> bool:
        """Whether the command works later, or runs if it could not."""
        return self.head in (later.worked if self.is_work else (*later.worked, *later.ran))


class Questions:
    name = "questions"
    version = 2
    seen = QuestionSeen
    minimum_stories = 1

    def see(self, digest: Digest) -> Iterable[Grouped[QuestionSeen]]:
        if not digest.repo:
            return
        yield from _left_open(digest)
        yield from _went_well(digest)

    def conclude(self, group: str, sightings: Sequence[Sighting[QuestionSeen]]) -> Iterable[Draft]:
        repo, _, program = group.partition("\n")
        ordered = in_order(sorted(sightings, key=lambda sighting: sighting.seen.signature))
        failing = (sighting for sighting in ordered if sighting.seen.signature)
        matters = grouped_by(failing, lambda sighting: (sighting.seen.head, sighting.seen.signature))
        for (head, signature), left in sorted(matters.items()):
            solved = first_later(left[-1], ordered, left[-1].seen.is_solved_by)
            text = _said(repo, left[-1].seen, is_closed=solved is not None)
            if not text:
                continue
            yield Draft(
                harvester=self.name,
                key=(head, signature),
                scope=Scope(ScopeKind.REPO, repo),
                category=Category.QUESTION,
                sentence=sentence(text),
                channel=Channel.TOOL,
                triggers=(Trigger(program=program, signature=signature),),
                evidence=(
                    *(evidence_of(sighting, Channel.TOOL) for sighting in left),
                    *outcomes((), [solved] if solved else []),
                ),
                is_closed=solved is not None,
            )


def _left_open(digest: Digest) -> Iterable[Grouped[QuestionSeen]]:
    """The last failures that were open at the end, each signature once."""
    questions: dict[str, Grouped[QuestionSeen]] = {}
    for failure in digest.unresolved:
        command = _command(digest, failure)
        if command is None:
            continue
        form = form_of(command) if purpose_of(command) else None
        head = _head(command)
        questions[failure.signature] = Grouped(
            f"{digest.repo}\n{command.program}",
            QuestionSeen(
                at=failure.at,
                excerpt=digest.steps[failure.at].error,
                command=form.text if form else head,
                head=head,
                signature=failure.signature,
                is_work=failure.failure is FailureClass.WORK,
            ),
        )
    return list(questions.values())[-_MOST_OPEN:]


def _command(digest: Digest, failure: Failure) -> Command | None:
    """The command of a failure that leaves a question."""
    step = digest.steps[failure.at]
    if step.kind is not ActionKind.SHELL or failure.failure not in (FailureClass.WORK, FailureClass.ENVIRONMENT):
        return None
    main = parsed(command_at(digest.steps, failure.at)).main
    if main is None or main.weight is not Weight.WORKS or not _INLINE.isdisjoint(main.flags):
        return None
    if failure.failure is FailureClass.ENVIRONMENT:
        return main
    is_check = is_checking(main) or (main.program == "git" and main.subcommand in _GIT_HOOKS)
    edited = any(later.kind in CHANGES for later in digest.steps[failure.at + 1 :])
    return main if is_check and not edited else None


def _head(command: Command) -> str:
    subcommand = command.subcommand if not any(mark in command.subcommand for mark in "/.$*") else ""
    return f"{command.program} {subcommand}".strip()


def _went_well(digest: Digest) -> Iterator[Grouped[QuestionSeen]]:
    """Per program, the subcommands that worked, and those that ran and found fault with the code."""
    worked: defaultdict[str, dict[str, int]] = defaultdict(dict)
    ran: defaultdict[str, dict[str, int]] = defaultdict(dict)
    work = {failure.at for failure in digest.failures if failure.failure is FailureClass.WORK}
    for at, step in enumerate(digest.steps):
        if step.kind is not ActionKind.SHELL or not (step.has_worked or (step.has_failed and at in work)):
            continue
        for command in parsed(command_at(digest.steps, at)).commands:
            if command.weight is Weight.WORKS:
                (worked if step.has_worked else ran)[command.program].setdefault(_head(command), at)
    programs = sorted({*worked, *ran}, key=lambda program: (-len(worked[program]) - len(ran[program]), program))
    for program in programs[:_MOST_PROGRAMS]:
        good = tuple(sorted(worked[program])[:_MOST_HEADS])
        rest = tuple(head for head in sorted(ran[program])[:_MOST_HEADS] if head not in good)
        at = min((*worked[program].values(), *ran[program].values()))
        yield Grouped(f"{digest.repo}\n{program}", QuestionSeen(at=at, worked=good, ran=rest))


def _said(repo: str, seen: QuestionSeen, *, is_closed: bool) -> str:
    command = quoted(seen.command)
    if not command or reads_like_a_sentence(seen.command):
        return ""
    reason = _reason(seen.signature)
    where, why = f"In {shown_repo(repo)}, {command}", f" ({reason})" if reason else ""
    if is_closed:
        return f"{where} was left failing{why}, and works again since."
    if seen.is_work:
        return f"{where} was left failing{why}: look whether it fails before your change too."
    return f"{where} could not run when last tried{why}: no way around it is known yet."


def _reason(signature: str) -> str:
    """Why it failed, in words of ours or by codes that are known; "" where neither says it. What the program wrote is
    never repeated: whoever can make it fail can write there."""
    reason = signature.partition(": ")[2]
    has_rules = reason.startswith(_RULES)
    named = reason.removeprefix(_RULES).replace(",", " ").split() if has_rules else _CODE.findall(reason)
    codes = [code for code in named if is_known_rule(code)][:_MOST_CODES]
    if codes:
        return ", ".join(quoted(code) for code in codes)
    return next((words for form, words in _REASONS if form.search(reason)), "")
