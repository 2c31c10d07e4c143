"""The templates that are kept: list, find, export, import, approve, delete.

Whatever is read from a file is redacted and bounded once more before anyone sees it: people may edit their files, and
rules get better. A template of somebody else gets an id by its content, and waits until a person approves it.
"""

from collections.abc import Callable
from pathlib import Path

import msgspec

from afterwit.config.world import World, redactor_of
from afterwit.extras.lab.templates.create import template_id
from afterwit.extras.lab.templates.shortening import TemplateCleaner
from afterwit.model.errors import StoreError, UsageError
from afterwit.model.templates import LEAST_EXAMPLES, Template, TemplateStatus
from afterwit.model.text.nearest import did_you_mean
from afterwit.recall.deck.compile import compile_deck
from afterwit.redaction.redaction import Redactor
from afterwit.store.layout import Layout
from afterwit.store.marks import EXAMPLES, mark
from afterwit.store.store import hold_lease, open_store, require
from afterwit.store.template_files import (
    delete_template,
    put_template,
    read_template,
    read_templates,
    template_bytes,
    template_in,
)

_WAIT_SECONDS = 60
_NO_KEY = bytes(32)  # of what is redacted, templates keep only the type


class TemplateList(msgspec.Struct, frozen=True, kw_only=True):
    templates: list[Template]
    problems: list[str]  # with files that are no templates


def list_templates(world: World) -> TemplateList:
    """All of them, those that can be used first, then by type and description."""
    require(world.layout)
    stored = read_templates(world.layout)
    cleaner = TemplateCleaner(redactor_of(world)) if stored.templates else None
    templates = [cleaner.template(template) for template in stored.templates] if cleaner else []
    templates.sort(key=lambda template: (not template.is_in_use, template.type, template.description, template.id))
    return TemplateList(templates=templates, problems=list(stored.problems))


def find_template(world: World, name: str) -> Template:
    """The one with this id, or whose id begins so."""
    listed = list_templates(world)
    fitting = [template for template in listed.templates if name and template.id.startswith(name)]
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


def exported(template: Template) -> bytes:
    """A template for others: as its file holds it."""
    return template_bytes(template)


def load_template(path: Path | str) -> Template:
    """The template in a file, without a store: for programs that put it before their own messages."""
    where = Path(path)
    return TemplateCleaner(Redactor(_NO_KEY)).template(template_in(read_template(where), str(where)))


class IncomingTemplate(msgspec.Struct, frozen=True, kw_only=True):
    """A template of somebody else, and what became of it."""

    template: Template
    is_new: bool  # no: it was imported before
    is_approved: bool


def import_template(
    world: World, path: Path, agree: Callable[[Template], bool], *, is_approved: bool = False
) -> IncomingTemplate:
    """Takes a file in. It is kept in any case, and used only if it `is_approved` or `agree` says so."""
    try:
        given = template_in(read_template(path), str(path))
    except StoreError as error:
        raise UsageError(str(error)) from error
    require(world.layout)
    incoming = _of_others(TemplateCleaner(redactor_of(world)).template(given))
    _refuse_thin(incoming, path)
    earlier = _same(world.layout, incoming.id)
    if earlier is not None and earlier.is_in_use:
        return IncomingTemplate(template=earlier, is_new=False, is_approved=True)
    put_template(world.layout, incoming)
    approved = is_approved or agree(incoming)
    if approved:
        incoming = approve(world.layout, incoming)
    return IncomingTemplate(template=incoming, is_new=earlier is None, is_approved=approved)


def approve(layout: Layout, template: Template) -> Template:
    used = msgspec.structs.replace(template, status=TemplateStatus.ACTIVE)
    put_template(layout, used)
    return used


def _of_others(template: Template) -> Template:
    """Under an id that follows from what it says, so that it takes no other's place."""
    content = msgspec.json.encode([template.task, template.examples]).decode()
    name = template_id("import", content)
    return msgspec.structs.replace(template, id=name, version=1, status=TemplateStatus.QUARANTINED)


def _refuse_thin(template: Template, path: Path) -> None:
    if len(template.examples) < LEAST_EXAMPLES:
        raise UsageError(f"{path} holds {len(template.examples)} examples; a template needs {LEAST_EXAMPLES}.")


def _same(layout: Layout, name: str) -> Template | None:
    return next((template for template in read_templates(layout).templates if template.id == name), None)
