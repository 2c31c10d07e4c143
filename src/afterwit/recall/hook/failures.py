"""The known fixes after a failure, among the lines of the deck; nothing that the error text says already.

First the words of the output and the command are looked up; mostly nothing is found, and nothing slow was loaded. Of
what is found the exact question is asked (`triggers`). Failures of the work itself get nothing: they are what the
agent is working on.
"""

from afterwit.actions.quick_look import LEAST_BELIEF, ends_of, is_any_call, names_missing, says_missing
from afterwit.agents.hook_payloads import Moment
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck, DeckLine, DeckTrigger, words_called, words_in
from afterwit.recall.hook.triggers import FailedCall, failure_of, fires_at_command, is_of_tool


def known_fixes(deck: Deck, agent: str, moment: Moment, place: Location) -> tuple[str, list[DeckLine]]:
    """The signature of a failure that is known, and what fits it, the best first; nothing where it is not known."""
    candidates = _candidates(deck, agent, moment, place)
    if not candidates:
        return "", []
    from afterwit.recall.hook.triggers import meant

    failure = failure_of(agent, moment)
    if failure is None:
        return "", []
    ranked = []
    for trigger, general in candidates:
        is_meant = not is_any_call(trigger.program, trigger.words, trigger.signature, general.advice)
        clarity = _clarity(trigger, failure, moment) if is_meant else 0
        line = meant(general, moment) if clarity else None
        if line is not None and not _says(moment, line):
            ranked.append(((not line.advice, -clarity, line.breadth, line.number), line))
    best: dict[str, DeckLine] = {}
    for _, line in sorted(ranked, key=lambda rated: rated[0]):
        best.setdefault(line.item, _shown_here(line))
    return failure.signature, list(best.values())


def _candidates(deck: Deck, agent: str, moment: Moment, place: Location) -> list[tuple[DeckTrigger, DeckLine]]:
    """What may fit: all words occur that it needs."""
    output = _plain(ends_of(moment.output))
    words = words_in(output)
    pairs = deck.lines("failure", words | words_called(moment.command), place.repo, agent)
    if says_missing(output):
        named = deck.lines("path", words, place.repo, agent)
        pairs += [(trigger, line) for trigger, line in named if line.advice and names_missing(trigger.path, output)]
    return [(trigger, line) for trigger, line in pairs if not trigger.rule and line.confidence >= LEAST_BELIEF]


def _clarity(trigger: DeckTrigger, failure: FailedCall, moment: Moment) -> int:
    """How clearly a trigger means this failure; 0: not at all."""
    if trigger.path:
        return 3 if names_missing(trigger.path, failure.error) else 0
    if trigger.signature not in ("", failure.signature) or not is_of_tool(trigger, moment):
        return 0
    if not fires_at_command(trigger, moment.command):
        return 0
    return 2 if trigger.signature else 1


def _says(moment: Moment, line: DeckLine) -> bool:
    """Whether the output says it already, or the command was just that."""
    advice = line.advice.strip()
    return bool(advice) and (advice in moment.output or advice == moment.command.strip())


def _shown_here(line: DeckLine) -> DeckLine:
    """The line with the command to use now, where it does not have it."""
    if not line.advice or line.advice in line.text:
        return line
    from afterwit.redaction.shown import command, joined, ours

    return line.told(joined((line.text, ours(" Here: "), command(line.advice))), line.advice, line.replaces)


def _plain(text: str) -> str:
    """Without colours, whose codes would stick to words."""
    if "\x1b" not in text:
        return text
    import re

    return re.sub(r"\x1b\[[0-9;:?]*[ -/]*[@-~]", " ", text)
