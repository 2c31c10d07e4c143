"""Decides, under the lock of the session's file, what is told now: nothing twice, nothing that is held out.

Gives the answer for the agent and the records for the spool; the caller writes the records first. A draw is recorded
with its odds, with what was shown and, where something was held out, with what would have been.
"""

import time

from afterwit.agents.hook_payloads import ACTIVITY, AFTER, BEFORE, COMPACT, FORGETFUL, PROMPT, START, Answer, Moment
from afterwit.recall.deck.location import Location, branch_of
from afterwit.recall.deck.reader import LOOKER, SESSION, SUBAGENT, Deck
from afterwit.recall.holdout import (
    CHECK,
    CHECKED,
    CLEARED,
    COMPACTED,
    DRAW,
    PROMPTED,
    REPEATED,
    STARTED,
    TEMPLATE,
    History,
    is_told,
    mark_of,
    odds_for,
)
from afterwit.redaction.shown import NOTHING, Shown, between_markers, command, cut, joined, ours

TYPE_CHECKING = False
if TYPE_CHECKING:
    from afterwit.recall.hook.call import Checked, Permissions, Proposal
    from afterwit.recall.hook.checks import Breach
LONGEST = 9_500  # characters that reach the model whole in every agent
LARGEST_BLOCK = 8_000  # characters of a brief with an example, about 2,000 tokens
_FRESH = ("", "startup", "new", "clear")
_LOOKERS = ("explore", "explorer", "plan")  # subagents that change nothing


def is_plain_line(line: str) -> bool:
    """Whether nothing in a command line is more to a shell than a word."""
    return not set(line) & set("`$&|;<>(){}[]*?!~#\\'\"\n\r")


class HookTeller:
    """One call of a hook, with all that is known of it."""

    def __init__(self, deck: Deck, agent: str, moment: Moment, place: Location, now_ms: int) -> None:
        self._deck = deck
        self._agent = agent
        self._moment = moment
        self._place = place
        self._now_ms = now_ms
        self.records: list[dict[str, object]] = []
        self._odds = odds_for(deck.share("session_share"), deck.share("item_share"), deck.names("arms"))
        self._drawn: set[str] = set()  # in this call
        self._wanted_chars = 0  # of what would be said without any hold-out

    def tell(self, history: History, proposal: "Proposal | None", carries: tuple[str, ...]) -> Answer:
        """The answer to give."""
        event = self._moment.event
        self._odds = history.odds or self._odds
        if event == START:
            return Answer(self._at_start(history) if START in carries else NOTHING)
        if event == COMPACT:
            self._note(COMPACTED)
            return Answer()
        if event == PROMPT:
            return Answer(self._join(*self._at_prompt(history, proposal)))
        block = self._block() if self._is_due_at_action(history, carries) else NOTHING
        if proposal is None:
            return Answer(block)
        if proposal.quirk:
            self._note(CHECKED, **{"is": {proposal.quirk: "met"}})
        if proposal.is_refusal or proposal.is_rewrite:
            return self._correct(history, proposal)
        return Answer(self._join(block, self._lines(history, proposal)))

    def _at_start(self, history: History) -> Shown:
        source = self._moment.source
        if source == FORGETFUL and history.has_block_at_prompt:
            return NOTHING
        if source in ("compact", FORGETFUL):
            self._note(COMPACTED)
            return self._block()
        if source == "clear" and history.has_started:
            self._note(CLEARED)
            return self._block()
        if history.has_started:
            return NOTHING
        return self._block() if source in _FRESH else self._skip()

    def _skip(self) -> Shown:
        """A resumed session has its context back, and its first prompt behind it."""
        self._note(STARTED)
        self._note(PROMPTED)
        return NOTHING

    def _at_prompt(self, history: History, proposal: "Proposal | None") -> tuple[Shown, Shown]:
        is_due = not history.has_started or history.awaits_block
        block = self._block() if is_due else NOTHING
        if not history.has_prompted:
            self._note(PROMPTED)
        room = LONGEST - self._wanted_chars - 2 if self._wanted_chars else LONGEST
        return block, self._sections(history, proposal, room) if proposal else NOTHING

    def _sections(self, history: History, proposal: "Proposal", room: int) -> Shown:
        """The block of a prompt without what the session knows and what is held out; nothing where all of it does not
        fit, so that what is drawn does not depend on the draw."""
        from afterwit.recall.prompt_block import (
            MOST_AT_PROMPT,
            MOST_ON_DEMAND,
            BlockLine,
            files_section,
            prompt_sections,
            text_of,
        )

        said = {*history.told, *self._drawn}
        left = min(MOST_AT_PROMPT, MOST_ON_DEMAND - history.on_demand)
        lines = [BlockLine(line.item, line.text) for line in proposal.lines if line.item not in said][: max(0, left)]
        thread = [line for line in proposal.thread if line[0] not in said]
        wanted = prompt_sections(files_section(proposal.files), thread, lines)
        items = {item: int(self._is_shown(item)) for _, some in wanted for item, _ in some}
        told = [(heading, [line for line in some if items[line[0]]]) for heading, some in wanted]
        whole = text_of(wanted)
        if not items or len(self._mark(whole)) > room:
            return NOTHING
        return self._draw(PROMPT, items, text_of(told), whole, lines=len(lines))

    def _is_due_at_action(self, history: History, carries: tuple[str, ...]) -> bool:
        """Where an agent takes text neither at the start nor at a prompt, the block comes with the first result."""
        is_first = carries == (AFTER,) and self._moment.event == AFTER and not history.has_started
        return is_first and not self._moment.context

    def _block(self) -> Shown:
        """The page, then the thread of the branch. A subagent gets its part of the page, at its own start alone; one
        that only looks around hears of the machine. No single line of the page is held out: it is the same in every
        session that is told."""
        if self._moment.context and self._moment.event != START:
            return NOTHING
        listener = SESSION
        if self._moment.context:
            listener = LOOKER if self._moment.role.lower() in _LOOKERS else SUBAGENT
        page = self._deck.block(self._place.repo, self._agent, listener)
        items = {item: 1 for _, lines in page for item, _ in lines if item}
        has_lines = any(lines for _, lines in page)
        wanted = [text for heading, lines in page for text in (heading, *(text for _, text in lines))]
        told = list(wanted)
        for heading, lines in self._thread():
            items.update({item: int(self._is_shown(item)) for item, _ in lines})
            kept = [joined((ours("- "), text)) for item, text in lines if items[item]]
            told += [heading, *kept] if kept else []
            wanted += [heading, *(joined((ours("- "), text)) for _, text in lines)]
            has_lines = has_lines or bool(kept)
        example = self._example(joined(wanted, "\n")) if listener == SESSION else None
        if example is not None and self._arm == TEMPLATE:
            item, text = example
            items[item] = int(self._is_shown(item))
            told += [text] if items[item] else []
            wanted.append(text)
            has_lines = has_lines or bool(items[item])
        if not items and not has_lines and example is None:
            self._note(STARTED)
            return NOTHING
        block = joined(told, "\n") if has_lines else NOTHING
        late = {"with": self._moment.event} if self._moment.event != START else {}
        return self._draw(START, items, block, joined(wanted, "\n"), **late)

    def _thread(self) -> "list[tuple[Shown, tuple[tuple[str, Shown], ...]]]":
        branch = branch_of(self._place.root) if not self._moment.context else ""
        lines = self._deck.thread(self._place.repo, branch) if branch else []
        if not lines:
            return []
        from afterwit.recall.prompt_block import thread_section

        return list(thread_section(lines))

    def _example(self, block: Shown) -> tuple[str, Shown] | None:
        """The worked example that this session is told if it is in the arm that is, where it fits. Where there is one,
        every arm is drawn for, so that they can be compared."""
        example = self._deck.example(self._place.repo) if TEMPLATE in self._odds.arms else None
        return example if example is not None and len(block) + len(example[1]) < LARGEST_BLOCK else None

    def _lines(self, history: History, proposal: "Proposal") -> Shown:
        """The known fix, also where a block told it already, and what waits for the action, where nothing did."""
        earlier = history.answered if self._moment.event == AFTER else history.told
        new = [line for line in proposal.lines if line.item not in earlier]
        if proposal.awaited and not new:
            from afterwit.recall.prompt_block import MOST_AT_ACTION, MOST_ON_DEMAND

            left = min(MOST_AT_ACTION, MOST_ON_DEMAND - history.on_demand)
            new = [line for line in proposal.awaited if line.item not in history.told][: max(0, left)]
        if not new:
            return NOTHING
        items: dict[str, int] = {line.item: int(self._is_shown(line.item)) for line in new}
        told = joined((joined((ours("- "), line.text)) for line in new if items[line.item]), "\n")
        wanted = joined((joined((ours("- "), line.text)) for line in new), "\n")
        is_fix = bool({line.item for line in proposal.lines} & items.keys())
        details = {"signature": proposal.signature} if is_fix else {"act": ACTIVITY}
        return self._draw(self._moment.event, items, told, wanted, lines=len(new), **details)

    def check(self, history: History, at_checks: "Checked", may: "Permissions") -> Answer | None:
        """Notes what the moment means for checks, and refuses a call that goes against one: once, or each time where
        somebody was strict. None: checks have nothing to say to it. A person turned each of them on, so none is held
        out but in the arms of an experiment that a person started."""
        from afterwit.recall.hook.asking import ASKED
        from afterwit.recall.hook.checks import STOPPED, changes, standing

        self._odds = history.odds or self._odds
        states = changes(at_checks.states, history)
        breach = next(iter(standing(at_checks.breaches, history)), None)
        if breach is not None and breach.needs == ASKED:
            states[breach.check.id] = STOPPED
        if states:
            self._note(CHECKED, **{"is": states})
        return self._stop(history, breach, may) if breach is not None else None

    def _stop(self, history: History, breach: "Breach", may: "Permissions") -> Answer | None:
        from afterwit.recall.hook.checks import same_call
        from afterwit.recall.hook.refusals import refusal

        mark = mark_of(same_call(breach, self._moment))
        check = breach.check
        if mark in history.refused and not check.is_strict:
            self._draw_check(check.id, NOTHING, NOTHING, act=REPEATED)
            return None
        is_late = self._moment.event != BEFORE
        if breach.advice and may.rewrite and not is_late:
            arguments = self._moment.with_command(breach.advice) if is_plain_line(breach.advice) else None
            if arguments is not None:
                notice = joined((ours("afterwit runs "), command(breach.advice), ours(" instead of what was called.")))
                wanted = joined((check.text, ours("\n"), notice))
                text = self._draw_check(check.id, wanted, wanted, act="rewrite")
                return Answer(text, arguments=arguments, notice=notice) if text else None
        wanted = refusal(breach, is_late=is_late)
        is_shown = check.is_strict or not self._deck.names("arms") or is_told(self._arm, BEFORE)
        text = self._draw_check(check.id, wanted if is_shown else NOTHING, wanted, act=CHECK, command=mark)
        if not text:
            return None
        return Answer(text) if is_late else Answer(reason=text)

    def _draw_check(self, item: str, told: Shown, wanted: Shown, **more: str) -> Shown:
        """Records what a check did. What a person decided about is told whatever is drawn: its own odds are 1."""
        text = self._mark(told) if told else NOTHING
        is_held_out = bool(wanted) and not told
        odds = {"arm": self._arm, "odds": self._odds.arms, "item_odds": 1.0}
        took = {"ms": time.process_time_ns() // 1_000_000}
        drawn = {"moment": self._moment.event, "items": {item: int(not is_held_out)}, "held": int(is_held_out)}
        would = {"would": wanted} if is_held_out else {}
        self._note(DRAW, **drawn, **odds, **took, text=text, **would, **more)
        return text

    def _correct(self, history: History, proposal: "Proposal") -> Answer:
        """Refuses a command once, or rewrites it. The same command passes when it is called again."""
        (line,) = proposal.lines
        mark = mark_of(self._moment.command)
        arguments = self._moment.with_command(line.advice) if proposal.is_rewrite else None
        if (proposal.is_refusal and (mark in history.refused or line.item in history.answered)) or (
            proposal.is_rewrite and arguments is None
        ):
            return Answer()
        act = "refuse" if proposal.is_refusal else "rewrite"
        advice = command(line.advice)
        if not advice:
            return Answer()
        notice = joined((ours("afterwit runs "), advice, ours(" instead of "), command(line.replaces)))
        again = joined((ours("Use "), advice, ours(", or call the same command again to run it as it is")))
        wanted = joined((line.text, ours("\n"), again if proposal.is_refusal else notice, ours(".")))
        is_shown = self._is_shown(line.item)
        items = {line.item: int(is_shown)}
        text = self._draw(BEFORE, items, wanted if is_shown else NOTHING, wanted, act=act, command=mark)
        if not text:
            return Answer()
        return Answer(reason=text) if proposal.is_refusal else Answer(text, arguments=arguments, notice=notice)

    @property
    def _arm(self) -> str:
        return self._odds.arm(self._deck.key(), self._agent, self._moment.session)

    def _is_shown(self, item: str) -> bool:
        return not self._odds.leaves_out(self._deck.key(), self._agent, self._moment.session, item)

    def _draw(self, moment: str, items: dict[str, int], told: Shown, wanted: Shown, **more: str | int) -> Shown:
        """Records a draw; the text to show, which is empty where everything is held out."""
        arm = self._arm
        is_held_out = not is_told(arm, moment)
        text = NOTHING if is_held_out or not told else self._mark(told)
        self._wanted_chars += len(self._mark(wanted))
        self._drawn.update(items)
        shown = {item: int(bool(text) and bool(is_shown)) for item, is_shown in items.items()}
        would = {"would": wanted} if text == "" or told != wanted else {}
        details = {name: value for name, value in more.items() if value}
        odds = {"arm": arm, "odds": self._odds.arms, "item_odds": self._odds.item}
        took = {"ms": time.process_time_ns() // 1_000_000}
        drawn = {"moment": moment, "items": shown, "held": int(is_held_out), **odds, **took}
        self._note(DRAW, **drawn, text=text, **would, **details)
        return text

    def _mark(self, text: Shown) -> Shown:
        opening, closing = self._deck.text("opening"), self._deck.text("closing")
        return between_markers(cut(text, LONGEST - len(opening) - len(closing) - 2), opening, closing)

    def _join(self, *texts: Shown) -> Shown:
        """Both, where they fit together; else the first."""
        whole = joined(texts, "\n\n")
        return whole if len(whole) <= LONGEST else next(filter(None, texts))

    def _note(self, kind: str, **more: object) -> None:
        moment = self._moment
        record: dict[str, object] = {"kind": kind, "at": self._now_ms, "agent": self._agent, "session": moment.session}
        record |= {"context": moment.context} if moment.context else {}
        record |= {"repo": self._place.repo} if self._place.repo else {}
        self.records.append({**record, **more})
