"""The templates that are kept: list, find, delete, and load from a file.

Whatever is read from a file is redacted, cleaned and bounded once more before anyone sees it: people may edit their
files, and rules get better. Redaction comes before cutting, since half of a secret is not recognised. Of placeholders
only the type stays, so that a template says nothing that only this machine could check.
"""

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from afterwit.config.world import World, redactor_of
from afterwit.model.errors import UsageError, did_you_mean
from afterwit.model.templates import MOST_EXAMPLES, Template, TemplateSource, ToolExample
from afterwit.recall.deck.compile import compile_deck
from afterwit.redaction.hygiene import clean
from afterwit.redaction.markers import unkeyed, without_own
from afterwit.redaction.redaction import Redactor
from afterwit.store.marks import EXAMPLES, mark
from afterwit.store.store import hold_lease, open_store, require
from afterwit.store.template_files import (
    StoredTemplates,
    delete_template,
    read_template,
    read_templates,
    template_in,
)

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


def shorten(text: str, most: int) -> str:
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
        return shorten(unkeyed(self._redactor.text(clean(without_own(text)))).strip("\n"), most)

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
            name=self.line(template.name, LONGEST_NAME),
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
        return shorten(unkeyed(value), most)
    if isinstance(value, dict):
        return {shorten(unkeyed(name), LONGEST_TAG): _cut(item, most) for name, item in value.items()}
    return [_cut(item, most) for item in value] if isinstance(value, list) else value


_WAIT_SECONDS = 60
_ID_BYTES = 4
_NO_KEY = bytes(32)  # of what is redacted, templates keep only the type


def template_id(*identity: str) -> str:
    return hashlib.blake2b("\0".join(identity).encode("utf-8", "surrogatepass"), digest_size=_ID_BYTES).hexdigest()


def list_templates(world: World) -> StoredTemplates:
    """All of them, those that can be used first, then by type and description."""
    require(world.layout)
    stored = read_templates(world.layout)
    cleaner = TemplateCleaner(redactor_of(world)) if stored.templates else None
    templates = [cleaner.template(template) for template in stored.templates] if cleaner else []
    templates.sort(key=lambda template: (not template.is_in_use, template.type, template.description, template.id))
    return StoredTemplates(tuple(templates), stored.problems)


def find_template(world: World, name: str) -> Template:
    """The one with this name or id, or whose id begins so."""
    listed = list_templates(world)
    named = [template for template in listed.templates if name and name == template.name]
    fitting = named or [template for template in listed.templates if name and template.id.startswith(name)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UsageError(f"Several templates begin with {name!r}: {', '.join(template.id for template in fitting)}.")
    broken = " ".join(listed.problems)
    hint = did_you_mean(name, [template.id for template in listed.templates]) or "`afterwit templates list` shows all."
    raise UsageError(" ".join(filter(None, (f"There is no template {name!r}.", hint, broken))))


def delete(world: World, template: Template) -> None:
    """Takes it away, also from an experiment that tells of it."""
    with hold_lease(world.layout.lease, _WAIT_SECONDS), open_store(world.layout) as store:
        delete_template(world.layout, template.id)
        if template.id in mark(store.db, EXAMPLES).split():
            compile_deck(store, world)


def load_template(path: Path | str) -> Template:
    """The template in a file, without a store: for programs that put it before their own messages."""
    where = Path(path)
    return TemplateCleaner(Redactor(_NO_KEY)).template(template_in(read_template(where), str(where)))
