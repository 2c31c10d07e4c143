"""What of a prompt its user typed: the prompt without all that was pasted into it; and the blocks of any text.

A ticket, a mail, a log or a page that a user shows to an agent is somebody else's word, and may hold an order; whoever
wrote it may have put closing marks into it. So a block reaches from its first mark to the last, and what has no clear
end to the end of the prompt. Everything that quotes a user reads prompts through this. `blocks` finds fenced code and
elements where nobody hides anything, in one pass: a pattern with a back reference takes hours where a text holds
thousands of opening marks.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from afterwit.model.text import regex

FENCES_AND_TAGS = regex(r"```|<(\w[\w-]{0,40})>")
FENCES_AND_ELEMENTS = regex(r"```|<(\w[\w-]{0,40})(?![\w-])[^<>\n]*>")
_FENCE = "```"
_CLOSING = regex(r"</(\w[\w-]*+)>")


class TextBlock(NamedTuple):
    """`name` is that of the element, "" for a fence; the text within it is between `inside` and `closing`."""

    name: str
    start: int
    inside: int
    closing: int
    end: int


_GAP = "\n\n"
_MARKS = ("```", "~~~", '"""', "'''", "“““")
_OPENED = regex(r"<(\w[\w:-]{0,40})(?![\w:-])[^<>\n]{0,400}>")
_CLOSED = regex(r"</(\w[\w:-]{0,40})\s{0,9}>")
_ALONE = regex(r"(?m)^[^\S\n]*<(\w[\w:-]{0,40})(?![\w:-])[^<>\n]{0,400}>[^\S\n]*$")
_RULE = regex(r"(?m)^[^\S\n]*[-=_*]{3,}(?:[^\n]{1,60}[-=_*]{3,})?[^\S\n]*$")
_FOREIGN = (
    r"(?:tickets?|issues?|bugs?|logs?|e-?mails?|mails?|errors?|outputs?|(?:stack ?)?traces?|tracebacks?|diffs?|patch"
    r"|reports?|comments?|reviews?|slack|threads?|transcripts?|descriptions?|readme|pastes?|pasted|responses?"
    r"|repl(?:y|ies)|snippets?|console|terminal|stderr|stdout|messages?|posts?|articles?|warnings?|chat|customers?|wiki)"
)
_SHOWN = rf"(?:{_FOREIGN}|pages?|docs?|feedback|request|instructions|prompt|notes?|answer|text|files?|contents?)"
_INTRODUCTION = regex(  # in lower case
    r"(?m)\b(?:(?:says?|said|wrote|writes|reads|reported|states|stated)(?:[^\S\n][^\n:]{0,40})?:(?!\w)"
    r"|(?:here(?:['’]s| is| are| comes)|below|this is|these are|see|following|attached)\b"
    rf"[^\n:.]{{0,60}}\b{_SHOWN}\b[^\n:.]{{0,60}}:(?!\w)"
    rf"|{_FOREIGN}\b[^\n:.]{{0,40}}:[^\S\n]*$)",
)
_OWN_LABELS = (  # what people put before words of their own
    r"remember|reminder|notes?|nb|important|also|and|but|so|ok|okay|yes|no|please|rules?|todo|ps|btw|fyi|edit|update"
    r"|question|fix|goal|task|context|problem|issue|idea|suggestion|example|option|step"
)
_TIME = r"[\[(]?\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:[^\S\n]?[ap]\.?m\.?)?[\])]?"
_SPEAKER = regex(  # the beginning of a line that somebody else is given: by a name, by when it was said, by a greeting
    r"(?im)^[^\S\n]*(?:[-*+•][^\S\n]+)?(?:"
    rf"(?!(?:{_OWN_LABELS})\b)@?[\w'’-]{{2,30}}(?:[^\S\n]+(?-i:[A-Z])[\w.'’-]{{0,20}})?"
    rf"(?:[^\S\n]*[\[(][^\n\])]{{1,30}}[\])])?(?:[^\S\n]+{_TIME})?:[^\S\n]+\S"
    r"|[^\n]{0,80}\b(?:comment(?:ed)?|repl(?:y|ied)|opened|reviewed|asked|answered|posted|requested|approved|edited"
    r"|wrote|suggested|updated|reported|said)\b[^\n]{0,60}\b(?:ago|yesterday|last (?:week|month|year))\b"
    rf"|[^\n]{{1,60}}?[^\S\n]{_TIME}[^\S\n]*$"
    r"|(?:hi|hello|hey|dear)[^\S\n]+[\w'’ -]{2,30},[^\S\n]*$"
    r"|#{1,6}[^\S\n]+\S)",
)
_FAREWELL = regex(
    r"(?im)"
    r"^[^\S\n]*(?:(?:best|kind|warm)(?: regards| wishes)?|regards|sincerely|cheers|yours|many thanks|thanks(?: a lot)?)"
    r"[,.!]?[^\S\n]*\n+[^\S\n]*(?-i:[A-Z])[\w.'’ -]{1,40}[^\S\n]*$",
)
_HEADER = regex(
    r"(?m)"
    r"^[^\S\n]*(?:(?:From|To|Subject|Sent|Date|Cc|Bcc|Reply-To): \S|(?:System|Assistant|User|Human|Developer)[^\S\n]*:"
    r"|diff --git |index [0-9a-f]{6,}\.\.|@@ -|--- a/|\+\+\+ b/)",
)
_OUTPUT = regex(
    r"(?m)^[^\S\n]*(?:\[?\d{4}-\d\d-\d\d[T \]]|\[?\d\d:\d\d(?::\d\d|\])|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL"
    r"|TRACE)[\]: ]|Traceback\b|File \"[^\n\"]+\", line|at [\w.$<>]{1,200} ?\(|Caused by:|panic:|goroutine \d|npm ERR!"
    r"|E[^\S\n]{2,9}\S|[\w.]{0,80}(?:Error|Exception)\b:|(?:error|warning|fatal|remote|hint)(?:\[\w+\])?:|\$ |❯"
    r"|[⏺●⎿│├└┌┃]|[\w./-]{1,200}\.\w{1,8}:\d|[\[{]\"|[}\]],?[^\S\n]*$|FAILED |PASSED |--- FAIL)",
)
_LINES = regex(r"(?m)^(?:[^\S\n]{0,3}>[^\n]*|(?: {4}|\t)[^\S\n]*+(?![-*+•]\s|\d{1,3}[.)]\s|\s)[^\n]*)$")
_BLANK = regex(r"\n[^\S\n]*\n")
_QUOTE = regex(r"[\"“”«»`]|(?<![^\s(\[{:])'(?=\S)|(?<=[\w.!?])'(?!\w)")
_FAMILY = {"“": "”", "«": "»"}
_BEFORE, _AFTER = frozenset(" \t\n([{:—–-*,"), frozenset(" \t\n)]}.,;:!?—–-*")
_LONG_QUOTATION = 40  # characters
_LONGEST_READ = 20_000  # characters; nobody types more


class _Span(NamedTuple):
    start: int
    end: int


@lru_cache(maxsize=128)
def own_words(prompt: str) -> str:
    """What the user typed, with a gap for each piece that was pasted. All who quote users ask for the prompts of a
    session, one after the other."""
    text = prompt[:_LONGEST_READ]
    for spans in (_blocks, _introductions, _outputs, _lines, _quotations):
        text = _without(text, sorted(spans(text)))
    return text


def _without(text: str, spans: list[_Span]) -> str:
    kept: list[str] = []
    at = 0
    for span in spans:
        if span.start >= at:
            kept += (text[at : span.start], _GAP)
        at = max(at, span.end)
    kept.append(text[at:])
    return "".join(kept)


def _blocks(text: str) -> Iterator[_Span]:
    for mark in _MARKS:
        first, last = text.find(mark), text.rfind(mark)
        if first >= 0:
            yield _Span(first, last + len(mark) if last > first and text.count(mark) % 2 == 0 else len(text))
    rules = [match.span() for match in _RULE.finditer(text)]
    if rules:
        yield _Span(rules[0][0], rules[-1][1] if len(rules) > 1 else len(text))
    yield from _elements(text)


def _elements(text: str) -> Iterator[_Span]:
    last = {match[1]: match.end() for match in _CLOSED.finditer(text)}
    for match in _OPENED.finditer(text):
        if last.get(match[1], 0) > match.end():
            yield _Span(match.start(), last[match[1]])
    for match in _ALONE.finditer(text):
        if match[1] not in last:
            yield _Span(match.start(), len(text))


def _introductions(text: str) -> Iterator[_Span]:
    """From where somebody else is given the word, to the end."""
    lowered = text.replace("İ", "I").lower()  # as long as the text: no other letter becomes two
    if _FAREWELL.search(text):  # a letter, and nothing says where it begins
        yield _Span(0, len(text))
        return
    matches = filter(None, (_INTRODUCTION.search(lowered), _HEADER.search(text), _SPEAKER.search(text)))
    match = min(matches, key=lambda match: match.start(), default=None)
    if match:
        yield _Span(match.end() if match[0].endswith(":") else match.start(), len(text))


def _outputs(text: str) -> Iterator[_Span]:
    """From the first line of output to the end of the paragraph of the last."""
    places = [match.start() for match in _OUTPUT.finditer(text)]
    if places:
        after = _BLANK.search(text, places[-1])
        yield _Span(places[0], after.start() if after else len(text))


def _lines(text: str) -> Iterator[_Span]:
    return (_Span(*match.span()) for match in _LINES.finditer(text))


def _quotations(text: str) -> Iterator[_Span]:
    """Long ones, with those inside them. One that is never closed reaches to the end of its paragraph."""
    opened: defaultdict[str, list[int]] = defaultdict(list)
    for match in _QUOTE.finditer(text):
        at = match.start()
        starts = opened[_FAMILY.get(match[0], match[0])]
        if _opens(text, at, is_open=bool(starts)):
            starts.append(at)
        elif starts:
            yield from _long(starts.pop(), at + 1)
    ends = [match.start() for match in _BLANK.finditer(text)]
    for mark, starts in opened.items():
        for start in starts if mark != "'" else ():
            following = bisect_left(ends, start)
            yield from _long(start, ends[following] if following < len(ends) else len(text))


def _long(start: int, end: int) -> Iterator[_Span]:
    if end - start > _LONG_QUOTATION:
        yield _Span(start, end)


def _opens(text: str, at: int, *, is_open: bool) -> bool:
    """Whether a quotation mark opens: by its form, else by what stands before and after it."""
    if text[at] in "“«":
        return True
    before, after = text[at - 1 : at] or " ", text[at + 1 : at + 2] or " "
    if text[at] in "”»" or before not in _BEFORE:
        return False
    return after not in _AFTER or not is_open


def blocks(text: str, opening: re.Pattern[str] = FENCES_AND_ELEMENTS) -> Iterator[TextBlock]:
    """Those that begin with this pattern, whose first group names an element; none within another."""
    closings: dict[str, list[int]] = {}
    for match in _CLOSING.finditer(text):
        closings.setdefault(match[1], []).append(match.start())
    at = 0
    while (opened := opening.search(text, at)) is not None:
        block = _block(text, opened, closings)
        if block is not None:
            yield block
        at = opened.end() if block is None else block.end


def without_blocks(text: str, opening: re.Pattern[str] = FENCES_AND_ELEMENTS, instead: str = "\n") -> str:
    """The text with something else in the place of each."""
    kept: list[str] = []
    at = 0
    for block in blocks(text, opening):
        kept += (text[at : block.start], instead)
        at = block.end
    kept.append(text[at:])
    return "".join(kept)


def _block(text: str, opened: re.Match[str], closings: dict[str, list[int]]) -> TextBlock | None:
    if opened[0] == _FENCE:
        closing = text.find(_FENCE, opened.end())
        closing, end = (closing, closing + len(_FENCE)) if closing >= 0 else (len(text), len(text))
        return TextBlock("", opened.start(), opened.end(), closing, end)
    places = closings.get(opened[1], [])
    following = bisect_left(places, opened.end())
    if following == len(places):
        return None
    closing = places[following]
    return TextBlock(opened[1], opened.start(), opened.end(), closing, closing + len(opened[1]) + 3)
