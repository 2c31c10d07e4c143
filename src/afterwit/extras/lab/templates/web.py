"""Templates: the list with what came of their uses, and one with its calls and their results, as it would be told."""

import msgspec

from afterwit.extras.lab.templates.apply import TemplateStats, stats
from afterwit.extras.lab.templates.files import find_template, list_templates
from afterwit.model.times import ms_from_any
from afterwit.repos.remotes import short_names
from afterwit.store.rows.session_list import session_of
from afterwit.store.store import readonly_database
from afterwit.store.template_files import template_bytes
from afterwit.web.answering import Ask, CellLink, ShownTable, WebAnswer, WebRoute, download, render, tables_page

_COLUMNS = ("Template", "Kind of work", "Status", "Calls#", "Repository", "Uses#", "Last printed", "Effect")


def _list(ask: Ask) -> WebAnswer:
    rows = stats(ask.world)
    repos = short_names({row.template.source.repo for row in rows})
    table = ShownTable(
        "",
        _COLUMNS,
        [_row(ask, row, repos) for row in rows],
        "No template yet. `afterwit templates auto` proposes some from your best sessions.",
    )
    words = "Tool calls of sessions that went well, to begin another session with."
    return tables_page(ask, "Templates", words, [table], " ".join(list_templates(ask.world).problems))


def _row(ask: Ask, row: TemplateStats, repos: dict[str, str]) -> tuple[object, ...]:
    template = row.template
    tags = f" [{', '.join(template.tags)}]" if template.tags else ""
    used = ask.world.calendar.moment(ms_from_any(row.last_used_at)) if row.last_used_at else ""
    repo = repos.get(template.source.repo, template.source.repo)
    link = CellLink(f"{template.description}{tags}", f"/more/templates/{template.id}")
    figures = (template.status.in_words, len(template.examples), repo, row.uses, used, row.effect_words)
    return link, template.type, *figures


def _template(ask: Ask) -> WebAnswer:
    template = find_template(ask.world, ask.names["template"])
    source = template.source
    with readonly_database(ask.world.layout) as db:
        has_session = session_of(db, source.agent, source.session) is not None
    arguments = [msgspec.json.format(msgspec.json.encode(example.arguments)).decode() for example in template.examples]
    calls = list(zip(template.examples, arguments, strict=True))
    return render(ask, "template.html", example=template, calls=calls, has_session=has_session)


def _export(ask: Ask) -> WebAnswer:
    template = find_template(ask.world, ask.names["template"])
    return download(template_bytes(template), f"template-{template.id}.json", "application/json")


ROUTES = (
    WebRoute("/more/templates", _list),
    WebRoute("/more/templates/{template}", _template),
    WebRoute("/more/templates/{template}/export", _export),
)
