"""Renders a template for a session that is about to begin, and notes that it was used."""

import msgspec

from afterwit.config.world import World
from afterwit.extras.lab.templates.files import find_template
from afterwit.extras.lab.templates.stats import select, stats
from afterwit.extras.lab.templates.wire import Message, WireFormat, template_messages
from afterwit.model.errors import UsageError
from afterwit.model.kinds import TaskType
from afterwit.model.templates import Template, TemplateUse
from afterwit.model.times import iso_from_ms
from afterwit.recall.start_block import worked_example
from afterwit.redaction.markers import marked
from afterwit.store.template_files import note_use

TEXT = "text"
FORMS = (TEXT, *WireFormat)


class AppliedTemplate(msgspec.Struct, frozen=True, kw_only=True):
    """What to put before a session: messages, or a text."""

    template: Template
    form: str
    messages: list[Message]
    text: str


def apply(
    world: World, name: str = "", *, form: str = TEXT, task_type: TaskType | None = None, repo: str = ""
) -> AppliedTemplate:
    """One template, the one that is named or else the one to use next, in a form."""
    template = find_template(world, name) if name else _selected(world, task_type, repo)
    if not template.is_in_use:
        raise UsageError(
            f"Template {template.id} is somebody else's and needs your approval."
            f" `afterwit templates show {template.id}` shows it, `afterwit templates import --approve {template.id}`"
            " lets it be used."
        )
    applied = _rendered(template, form)
    use = TemplateUse(template=template.id, version=template.version, at=iso_from_ms(world.now_ms), way=form)
    note_use(world.layout, use)
    return applied


def _selected(world: World, task_type: TaskType | None, repo: str) -> Template:
    template = select(stats(world), task_type, repo)
    if template is None:
        raise UsageError(
            "No template in use fits. `afterwit templates list` shows what there is, `afterwit templates auto` proposes"
            " some."
        )
    return template


def _rendered(template: Template, form: str) -> AppliedTemplate:
    if form != TEXT:
        messages = template_messages(template, WireFormat(form))
        return AppliedTemplate(template=template, form=form, messages=messages, text="")
    text = worked_example(template)
    if not text:
        raise UsageError(
            f"Of template {template.id} too little can be told as text: its commands or files may not be named to an"
            " agent. `--as chat` gives its calls as messages."
        )
    return AppliedTemplate(template=template, form=form, messages=[], text=marked(text))
