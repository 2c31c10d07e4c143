"""Whether lines of a session say what a sentence says: enough of its words, not the other way round, and not a piece
cut out of what somebody said. Pure, and of words alone: who spoke, and what follows from that, `checks` decides.

*Marks* are the pieces of a sentence that must stand in the session as they are: what stands between backticks or
quotation marks, a path, a flag, a number, an identifier. Marks of Markdown and capitals make no difference; a gap that
is written as one stands for anything. Of the commands that a sentence names, what they can do is asked first
(`harvest.commands.spoken`), and that one worked here changes nothing in that. Of what nobody but an agent, a tool or a
file said, an ordinary command that the sentence says to run is told only if the user typed it, or it was run in the
session. A message between backticks is no command, and needs nobody's leave.
"""

from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher
from textwrap import wrap

from afterwit.actions.shell.parse import parsed
from afterwit.harvest.commands.harmless_table import KNOWN_NAMES
from afterwit.harvest.commands.own_tools import is_of_own_tools, named_in
from afterwit.harvest.commands.power import is_tellable
from afterwit.harvest.commands.spoken import (
    PLACEHOLDER,
    SPAN,
    calls_in,
    power_in,
    program_of,
    strangers_named_in,
)
from afterwit.knowledge.likeness import meaning
from afterwit.model.kinds import Status
from afterwit.model.text import regex, words_of
from afterwit.reader.lines import ForeignText, SessionLine, Speaker

_QUOTED = regex(r"[\"“]([^\"“”]{3,})[\"”]")
_FEWEST_SPOKEN, _SPOKEN = 4, 0.8  # words of a quotation, and its share of words without signs
_WORD = regex(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MARK = regex(
    r"(?<![\w/.-])(?:--?[A-Za-z][\w-]+|[\w.@~-]*/[\w./@*~-]+|[A-Za-z_][\w-]*\.[A-Za-z]\w{0,9}\b|\d[\d.,:]*\d|\d{2,}"
    r"|[A-Za-z]+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Z]{2,}[0-9]\w*)"
)
_ABBREVIATIONS = frozenset(("e.g", "i.e", "e.g.", "i.e.", "and/or", "vs.", "etc."))
_SEGMENTS = regex(r"\s(?:&&|\|\|?|;)\s|;\s")
_COMMON = frozenset("main master head origin true false none null yes no ok done todo error test".split())  # noqa: SIM905
SUPPORT = 0.34  # of a sentence's words that its lines, or those beside them, must hold
_JOINED = 2  # words of marks that say something together
_BESIDE_MARK = 3  # other words of a sentence with one mark that must stand in its lines
_WITHOUT_MARK = 4  # the same, of one without any
_RULE = regex(r"(?i)\b(?:never|always|must|only|not|use|prefer|keep|instead)\b|n't\b")
_CLAUSE_END = regex(r"[.!?;]\s|\n")
_CLAUSES = regex(r"[.;:!?]\s+")
_WHOLE_CLAUSE = 3  # words of a clause that says something by itself
_IN_CLAUSE = 0.15  # of them that must stand in the lines; those who retell in their own words keep little more
_TOKEN = regex(r"[\w'’]+(?:[./-]\w+)*")
_KEPT = 0.7  # of the words of a sentence, and of those it is taken from, that must be the same in the same order
_MOST_LEFT_OUT = 2
_ALIKE = 0.4
_NEGATIONS = frozenset("not never no none nobody nothing cannot refrain avoid stop wrong longer".split())  # noqa: SIM905
_LIMIT = regex(rf"{'|'.join(_NEGATIONS)}|\w+n't|without|except|unless|until|only|before|after|also|may|optional|once")
_COPIED = 0.8  # the same, of what the session itself has to do with
_SAID_AGAIN = 0.6  # of the words of what is said again that stand in one place: two rows
_COVERED = 0.8
_WHOLE_SAYING = 5  # words; of fewer all must stand there
_LONGEST_ROW = 240
_ELSEWHERE = (Speaker.OUTPUT, Speaker.FILE, Speaker.PASTED, Speaker.WEB, Speaker.MCP)


def marks_in(sentence: str) -> list[str]:
    """The pieces of a sentence that must stand in the session as they are."""
    rest = _QUOTED.sub(" ", SPAN.sub(" ", sentence))
    plain = (match[0].strip(".,:;") for match in _MARK.finditer(rest))
    spans = [match[1] for match in SPAN.finditer(sentence)]
    marks = (" ".join(mark.split()) for mark in (*spans, *quotes_in(sentence), *plain))
    return list(dict.fromkeys(mark for mark in marks if mark and mark.lower() not in _ABBREVIATIONS))


def is_telling(mark: str) -> bool:
    """Whether a mark says something of this work: the name of a program or of a branch that everybody has does not."""
    return mark.lower() not in _COMMON and mark not in KNOWN_NAMES


def quotes_in(sentence: str) -> list[str]:
    """What a sentence quotes as said: between quotation marks, or plain prose between the marks of code."""
    spans = (" ".join(match[1].split()) for match in SPAN.finditer(sentence))
    marked = (" ".join(match[1].split()) for match in _QUOTED.finditer(SPAN.sub(" ", sentence)))
    return [*(span for span in spans if _is_spoken(span)), *marked]


def _is_spoken(span: str) -> bool:
    """Whether it is prose, and no command or name."""
    words = [word for piece in span.split() if (word := piece.strip("(),;:.!?-"))]
    return len(words) >= _FEWEST_SPOKEN and sum(map(bool, map(_WORD.fullmatch, words))) >= _SPOKEN * len(words)


def holds(text: str, mark: str) -> bool:
    """Whether a mark stands in a text: as it is, or, for a command, word by word in its order within one command. A gap
    that is written as one stands for anything."""
    plain = _fold(mark)
    if _stands_in(_fold(text), plain, 0) >= 0:
        return True
    pieces = [piece for gap in PLACEHOLDER.split(plain) for piece in gap.split()]
    if not pieces or (len(pieces) == 1 and pieces[0] == plain):
        return False
    return any(_in_order(_fold(segment), pieces) for segment in _SEGMENTS.split(text))


def quotes_whole(text: str, quote: str) -> bool:
    """Whether a text holds a quotation, word for word, and denies nothing before it in the same clause."""
    whole, piece = _fold(text), _fold(quote)
    at = _stands_in(whole, piece, 0)
    lead = _TOKEN.findall(_CLAUSES.split(f"{whole[:at]} ")[-1]) if at >= 0 else []
    return at >= 0 and not any(word in _NEGATIONS or word.endswith(("n't", "dont")) for word in lead)


def _in_order(segment: str, pieces: Iterable[str]) -> bool:
    at = 0
    for piece in pieces:
        at = _stands_in(segment, piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


def _stands_in(text: str, piece: str, at: int) -> int:
    """Where a piece stands as whole words, from a place on; -1 where it does not."""
    while (at := text.find(piece, at)) >= 0 and piece:
        before, after = text[at - 1 : at], text[at + len(piece) : at + len(piece) + 1]
        if not (_is_inside(before) and _is_inside(piece[0])) and not (_is_inside(after) and _is_inside(piece[-1])):
            return at
        at += 1
    return -1


def _is_inside(character: str) -> bool:
    return character.isalnum() or character == "_"


def _fold(text: str) -> str:
    """Without marks of Markdown, and without differences that say nothing."""
    return " ".join(text.replace("`", "").replace("**", "").replace("’", "'").lower().split())


def share_of_words(sentence: str, lines: Iterable[SessionLine]) -> float:
    """Which share of a sentence's words stands in these lines."""
    wanted = set(words_of(sentence))
    there = {word for line in lines for word in words_of(line.text)}
    return len(wanted & there) / len(wanted) if wanted else 1.0


def is_borne_out(sentence: str, lines: Sequence[SessionLine]) -> bool:
    """Whether enough of a sentence stands in these lines: of all its words, and of those around its marks the more, the
    fewer marks it has. A name alone bears out nothing that is said of it; a short rule has to stand there as it is."""
    if share_of_words(sentence, lines) < SUPPORT:
        return False
    there = {word for line in lines for word in words_of(line.text)}
    plain = set(words_of(SPAN.sub(" ", sentence)))
    shared = len(plain & there)
    marks = sum(1 + (" " in mark) for mark in marks_in(sentence) if is_telling(mark))
    if marks:
        return marks >= _JOINED or shared >= _BESIDE_MARK
    return shared >= _WITHOUT_MARK or (shared == len(plain) and _RULE.search(sentence) is not None)


def is_all_said(sentence: str, lines: Iterable[SessionLine]) -> bool:
    """Whether each clause stands in these lines."""
    there = {word for line in lines for word in words_of(line.text)}
    clauses = (set(words_of(clause)) for clause in _CLAUSES.split(sentence))
    return all(len(words & there) >= _IN_CLAUSE * len(words) for words in clauses if len(words) >= _WHOLE_CLAUSE)


def is_verbatim(sentence: str, lines: Iterable[SessionLine]) -> bool:
    """Whether a sentence keeps all that somebody said in one line, in order, from its first word on and with all that
    limits it, and adds nothing: hardly a word was left out, and none cut out or turned into an order."""
    return any(_is_kept(sentence, line.text) for line in lines)


def _is_kept(sentence: str, text: str) -> bool:
    words, typed = words_of(sentence), words_of(text)
    if words[:1] != typed[:1] or not set(words) <= set(typed) or len(set(typed) - set(words)) > _MOST_LEFT_OUT:
        return False
    said, there = _TOKEN.findall(sentence.lower()), _TOKEN.findall(text.lower())
    changes = SequenceMatcher(None, said, there, autojunk=False).get_opcodes()
    others = [word for name, a, b, c, d in changes if name != "equal" for word in (*said[a:b], *there[c:d])]
    kept = sum(b - a for name, a, b, _, _ in changes if name == "equal")
    return not any(map(_LIMIT.fullmatch, others)) and kept >= _KEPT * max(len(said), len(there))


def keeps_denials(sentence: str, lines: Iterable[SessionLine]) -> bool:
    """Whether a sentence denies as often as one of the lines that it is taken from."""
    said = _TOKEN.findall(sentence.lower())
    return any(_limits(said).count("not") == _limits(_words_meant(line.text, said)).count("not") for line in lines)


def _words_meant(text: str, said: Sequence[str]) -> list[str]:
    """The words of those sentences of a line that have some of these."""
    sentences = (_TOKEN.findall(piece.lower()) for piece in _CLAUSE_END.split(text))
    return [word for words in sentences if len(set(words) & set(said)) >= _ALIKE * len(words) for word in words]


def _limits(words: Iterable[str]) -> list[str]:
    return sorted(
        "not" if word in _NEGATIONS or word.endswith("n't") else word for word in words if _LIMIT.fullmatch(word)
    )


def is_covered(text: str, sentence: str) -> bool:
    """Whether a sentence says most of what a text says, and not a part of it."""
    words = set(words_of(text))
    return len(words & set(words_of(sentence))) >= _COVERED * len(words)


def is_repeated(sentence: str, texts: Iterable[str], *, is_whole: bool = False) -> bool:
    """Whether one place of these texts says the sentence, or a clause of it, already, or with `is_whole` nearly all of
    it: whoever says it again has it from there. What stands between backticks is named and not said: a message that is
    quoted is nobody's order."""
    plain = SPAN.sub(" ", sentence)
    pieces = (plain,) if is_whole else (*_CLAUSES.split(plain), plain)
    units = [words for piece in pieces if len(words := set(words_of(piece))) >= _WHOLE_CLAUSE]
    least = _COPIED if is_whole else _SAID_AGAIN
    return any(_says(text, words, least) for text in texts for words in units)


def _says(text: str, words: Collection[str], share: float) -> bool:
    least = share * len(words) if len(words) >= _WHOLE_SAYING else len(words)
    folded = text.lower()
    if sum(word in folded for word in words) < least:
        return False
    rows = [piece for row in text.splitlines() for piece in wrap(row, _LONGEST_ROW)]
    return any(len(set(words_of(" ".join(rows[at : at + 2]))) & set(words)) >= least for at in range(len(rows)))


def is_turned_round(sentence: str, lines: Iterable[SessionLine]) -> bool:
    """Whether the sentence says to do what the user said not to do, with nobody else who says so."""
    denied = {phrase.split()[0] for phrase in meaning(sentence).denied if phrase}
    words = set(meaning(sentence).words) - denied
    spoken = (line for line in lines if line.speaker in (Speaker.USER, Speaker.PASTED))
    said = (phrase for line in spoken for phrase in meaning(line.text).denied)
    return any(phrase and words.issuperset(phrase.split()) for phrase in said)


def is_cut_out(sentence: str, lines: Iterable[SessionLine]) -> bool:
    """Whether the sentence is a piece of a longer one in these lines, word for word, and no rule: without the rest
    nobody knows what was meant."""
    if _RULE.search(sentence):
        return False
    piece = _bare(sentence)
    clauses = {_bare(clause) for line in lines for clause in _CLAUSE_END.split(line.text)}
    return piece not in clauses and any(piece in clause for clause in clauses)


def _bare(text: str) -> str:
    return " ".join(text.lower().split()).strip(".!?;:, ")


def untold_commands(sentence: str, sent: Sequence[SessionLine], own: Collection[str] = ()) -> list[str]:
    """What a sentence names and no agent may be told without a person. What was run is known in plain words too. Of the
    user's own tools more may be told."""
    ran = (line.text.removeprefix("$ ").rpartition(" → ")[0] for line in sent if line.text.startswith("$ "))
    calls = (
        call
        for call in ran
        if " " in call and holds(sentence, call) and not is_tellable(call) and not is_of_own_tools(call, own)
    )
    powerful = power_in(sentence, _programs_called(sent), own) or next(calls, "")
    typed = [line for line in sent if line.speaker is Speaker.USER]
    advised = [call for call, is_advised in calls_in(sentence, _programs_called(sent)) if is_advised]
    strange = (call for call in advised if not any(holds(line.text, call) for line in typed))
    return [*filter(None, [powerful]), *(call for call in strange if call != powerful and not _runs_of(call, sent))]


def own_tools_in(
    sentence: str, lines: Sequence[SessionLine], foreign: Sequence[ForeignText], instructions: str
) -> tuple[str, ...]:
    """The programs of a sentence that no table knows, and of which it is certain that nothing from elsewhere brought
    them: the user typed the name, the repository's instructions hold it, or it was called before anybody said it."""
    names = strangers_named_in(sentence, _programs_called(lines))
    return tuple(sorted(name for name in names if _is_own_tool(name, lines, foreign, instructions)))


def _is_own_tool(name: str, lines: Sequence[SessionLine], foreign: Sequence[ForeignText], instructions: str) -> bool:
    called = [line for line in lines if line.speaker is Speaker.ACTION and name in _programs(line)]
    if not called or all(line.status is Status.DENIED for line in called):
        return False
    typed = (line.text for line in lines if line.speaker is Speaker.USER)
    if named_in(name, (instructions, *typed)):
        return True
    first_ms = min((line.at_ms for line in called if line.at_ms), default=0)
    heard = (ForeignText(line.text, line.at_ms) for line in lines if line.speaker in _ELSEWHERE)
    earlier = (text.text for text in (*foreign, *heard) if not text.at_ms or text.at_ms <= first_ms)
    return bool(first_ms) and not named_in(name, earlier)


def commands_in(sentence: str, sent: Sequence[SessionLine]) -> list[str]:
    return [call for call, _ in calls_in(sentence, _programs_called(sent))]


def _programs_called(sent: Sequence[SessionLine]) -> frozenset[str]:
    """The programs that the session called."""
    return frozenset(program for line in sent if line.speaker is Speaker.ACTION for program in _programs(line))


def _programs(line: SessionLine) -> frozenset[str]:
    """The programs that an action called, and those that they wrap; not what stands in their arguments."""
    commands = parsed(line.text.removeprefix("$ ").rpartition(" → ")[0]).commands
    return frozenset(name for command in commands for name in (command.program, *command.wrappers))


def _runs_of(mark: str, sent: Iterable[SessionLine]) -> list[SessionLine]:
    """The actions that ran a command: one that merely names it in a message, such as that of a commit, did not."""
    program = program_of(PLACEHOLDER.sub("x", mark))
    return [
        line
        for line in sent
        if line.speaker is Speaker.ACTION and holds(line.text, mark) and (not program or program in _programs(line))
    ]
