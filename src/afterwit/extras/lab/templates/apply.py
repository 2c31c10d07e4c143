"""Renders a template for a session that is about to begin, notes that, and says what came of earlier uses.

A use is noted when a template is rendered, and when a session in an experiment is told its example. The effect is that
of the experiment: sessions drawn to be told the example beside those from which it was held out, by the same figures
and intervals as for notes. Until a session was drawn, nobody can tell.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from afterwit.config.world import World
from afterwit.extras.lab.templates.files import find_template, list_templates
from afterwit.extras.lab.templates.wire import Message, WireFormat, template_messages
from afterwit.measure.cases import cases_in
from afterwit.measure.effect import GroupEffect, effect_of
from afterwit.measure.statistics import Finding
from afterwit.measure.words import with_needed
from afterwit.model.errors import UsageError
from afterwit.model.kinds import TaskType
from afterwit.model.templates import TEMPLATE_ITEM, Template, TemplateUse
from afterwit.model.times import iso_from_ms
from afterwit.recall.brief_block import worked_example
from afterwit.redaction.markers import marked
from afterwit.store.rows.hooks import count_tellings
from afterwit.store.store import readonly_database
from afterwit.store.template_files import note_use, template_uses

_NOBODY_CAN_TELL = "nobody can tell yet"
_PREFERENCE = {Finding.HELPS: 0, Finding.NO_EVIDENCE: 1}


class TemplateStats(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of the use of one template."""

    template: Template
    uses: int
    told: int  # of these, sessions in an experiment
    ways: dict[str, int]  # how often it was rendered in each form
    last_used_at: str
    effect: GroupEffect | None  # None: no session was drawn for it yet

    @property
    def finding(self) -> Finding:
        return self.effect.finding if self.effect is not None else Finding.NO_EVIDENCE

    @property
    def effect_words(self) -> str:
        """Whether it helped, or why nobody can tell."""
        if self.effect is not None:
            return with_needed(self.effect.finding, self.effect.estimate)
        if self.told:
            return f"{_NOBODY_CAN_TELL}: no session that was told it is learned"
        return f"{_NOBODY_CAN_TELL}: no session was drawn for it"


def stats(world: World) -> list[TemplateStats]:
    """Of all templates, in the order in which they are listed."""
    templates = list_templates(world).templates
    uses = template_uses(world.layout) if templates else []
    told, effects = _measure(world) if templates else ({}, {})
    rows = []
    for template in templates:
        own = [use for use in uses if use.template == template.id]
        rows.append(
            TemplateStats(
                template=template,
                uses=len(own) + told.get(template.item, 0),
                told=told.get(template.item, 0),
                ways=dict(sorted(Counter(use.way for use in own).items())),
                last_used_at=max((use.at for use in own), default=""),
                effect=effects.get(template.item),
            )
        )
    return rows


def select(rows: Iterable[TemplateStats], task_type: TaskType | None = None, repo: str = "") -> Template | None:
    """The template to use for a session: one that was seen to help before one of which nobody can tell, then the one
    that was used least. One that does harm is not used."""
    fitting = [
        row
        for row in rows
        if row.finding in _PREFERENCE
        and (task_type is None or row.template.type is task_type)
        and (not repo or f"/{row.template.source.repo}".endswith(f"/{repo}"))
        and row.template.is_in_use
    ]
    best = min(fitting, key=lambda row: (_PREFERENCE[row.finding], row.uses, row.template.id), default=None)
    return best.template if best is not None else None


def choose_examples(world: World) -> list[str]:
    """The ids of the templates for an experiment: for each repository the one to use next, of those of which a session
    can be told."""
    rows = [row for row in stats(world) if worked_example(row.template)]
    repos = sorted({row.template.source.repo for row in rows})
    chosen = (select([row for row in rows if row.template.source.repo == repo]) for repo in repos)
    return [template.id for template in chosen if template is not None]


def _measure(world: World) -> tuple[Mapping[str, int], Mapping[str, GroupEffect]]:
    """In how many sessions each template was told, and its effect. Where none was drawn, nothing is judged."""
    with readonly_database(world.layout) as db:
        told = count_tellings(db, TEMPLATE_ITEM)
        report = effect_of(cases_in(db)) if told else None
    return told, {effect.name: effect for effect in report.items} if report is not None else {}


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
    template = find_template(world, name) if name else select(stats(world), task_type, repo)
    if template is None:
        raise UsageError(
            "No template in use fits. `afterwit templates list` shows what there is, `afterwit templates auto` proposes"
            " some."
        )
    if not template.is_in_use:
        raise UsageError(
            f"Template {template.id} is somebody else's, and nobody approved it when an earlier version took it in."
            f" `afterwit templates delete {template.id}` removes it."
        )
    applied = _render(template, form)
    use = TemplateUse(template=template.id, version=template.version, at=iso_from_ms(world.now_ms), way=form)
    note_use(world.layout, use)
    return applied


def _render(template: Template, form: str) -> AppliedTemplate:
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
