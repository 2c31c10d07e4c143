"""Makes what stands in a template safe and short: redacted once more, clean, and within bounds, whoever wrote it.

Redaction comes before cutting, since half of a secret is not recognised. Of placeholders only the type stays, so that
a template says nothing that only this machine could check. A text keeps its beginning and its end. Pure.
"""

from typing import Any

import msgspec

from afterwit.model.templates import MOST_EXAMPLES, Template, TemplateSource, ToolExample
from afterwit.redaction.hygiene import clean
from afterwit.redaction.markers import unkeyed, without_own
from afterwit.redaction.redaction import Redactor

LONGEST_RESULT = 1_200
LONGEST_ARGUMENT = 800
LONGEST_DESCRIPTION = 120
LONGEST_TASK = 600
LONGEST_NAME = 200
LONGEST_TAG = 40
MOST_TAGS = 10
_LONGEST_ARGUMENTS = 3_000  # characters of all arguments of a call, as JSON
_TIGHT_ARGUMENT = 150
_DEEPEST = 6
_MOST_ITEMS = 20
_GAP = "\n… {count} characters left out …\n"


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters, two thirds of them from its beginning."""
    if len(text) <= most:
        return text
    gap = _GAP.format(count=len(text) - most)
    room = max(most - len(gap), 0)
    head = room * 2 // 3
    return text[:head] + gap + text[len(text) - (room - head) :] if room else text[:most]


class TemplateCleaner:
    """Cleans templates, and what they are made of, with the redaction of this machine."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def text(self, text: str, most: int) -> str:
        """One text. Notes of ours that stood in it are no part of an example."""
        return shortened(unkeyed(self._redactor.text(clean(without_own(text)))).strip("\n"), most)

    def line(self, text: str, most: int) -> str:
        """The same on one line."""
        line = " ".join(self.text(text, most * 4).split())
        return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"

    def arguments(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a call. Where all of them are too long together, each is cut further."""
        safe = self._redactor.value(_plain(arguments, 0))
        whole = _cut(safe, LONGEST_ARGUMENT)
        if len(msgspec.json.encode(whole)) > _LONGEST_ARGUMENTS:
            whole = _cut(safe, _TIGHT_ARGUMENT)
        return dict(whole)

    def example(self, example: ToolExample) -> ToolExample:
        return ToolExample(
            tool=self.line(example.tool, LONGEST_NAME),
            kind=example.kind,
            target=self.line(example.target, LONGEST_ARGUMENT),
            arguments=self.arguments(example.arguments),
            result=self.text(example.result, LONGEST_RESULT),
        )

    def template(self, template: Template) -> Template:
        """The whole of it. Doing this twice changes nothing."""
        source = template.source
        names = (self.line(text, LONGEST_NAME) for text in (source.agent, source.session, source.repo, source.day))
        agent, session, repo, day = names
        return msgspec.structs.replace(
            template,
            description=self.line(template.description, LONGEST_DESCRIPTION),
            task=self.text(template.task, LONGEST_TASK),
            tags=tuple(filter(None, (self.line(tag, LONGEST_TAG) for tag in template.tags[:MOST_TAGS]))),
            source=TemplateSource(agent=agent, session=session, repo=repo, day=day),
            created_at=self.line(template.created_at, LONGEST_TAG),
            examples=tuple(map(self.example, template.examples[:MOST_EXAMPLES])),
        )


def _plain(value: Any, depth: int) -> Any:
    """Decoded JSON with clean texts, bounded in depth and number, its texts still whole."""
    if isinstance(value, str):
        return clean(without_own(value))
    if isinstance(value, dict | list) and depth >= _DEEPEST:
        return "…"
    if isinstance(value, dict):
        return {clean(str(name)): _plain(item, depth + 1) for name, item in list(value.items())[:_MOST_ITEMS]}
    return [_plain(item, depth + 1) for item in value[:_MOST_ITEMS]] if isinstance(value, list) else value


def _cut(value: Any, most: int) -> Any:
    if isinstance(value, str):
        return shortened(unkeyed(value), most)
    if isinstance(value, dict):
        return {shortened(unkeyed(name), LONGEST_TAG): _cut(item, most) for name, item in value.items()}
    return [_cut(item, most) for item in value] if isinstance(value, list) else value
