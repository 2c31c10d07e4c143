"""`explain_item`, `report_item` and `record_lesson`: what stands behind a note, whether it helped, and a new one."""

from collections.abc import Mapping
from typing import Any

from afterwit.actions.shell.parse import parse
from afterwit.engine.curation.curate import LessonSource, Words, record, report
from afterwit.knowledge.door.list import find_item
from afterwit.mcp.notes import PLACE, repo_of, tell_by_id
from afterwit.mcp.tool import Caller, Tool, choice, text, texts
from afterwit.model.errors import UsageError
from afterwit.model.knowledge import EVERYWHERE, SENTENCE_LIMIT, Category, Scope, ScopeKind, Trigger
from afterwit.redaction.shown import Shown, joined, ours, stamp
from afterwit.store.store import readonly_database


def explain_item(caller: Caller, arguments: Mapping[str, Any]) -> Shown:
    with readonly_database(caller.world.layout) as db:
        return tell_by_id(db, caller, find_item(db, arguments["item"], names_only=True))


ITEM = text("The note's id, or the beginning of it.", 64)
EXPLAIN_ITEM = Tool(
    name="explain_item",
    title="Explain a note",
    description=(
        "What stands behind a note: how often it was said or seen, by whom, in which sessions, when. Use it when"
        " a note surprises you or contradicts what you see."
    ),
    properties={"item": ITEM},
    needed=("item",),
    run=explain_item,
)


_HERE, _EVERYWHERE = "this repository", "everywhere"
_MOST_FILES = 10
_KNOWN = "; nothing was written. If it helped, say so with `report_item`."
_NOTED = ", in an assistant's words. `afterwit learn` takes it in. It waits until a person approves it."


def record_lesson(caller: Caller, arguments: Mapping[str, Any]) -> Shown:
    words = Words(
        sentence=arguments["lesson"],
        category=Category(arguments.get("category", Category.FACT)),
        scope=_scope(caller, arguments),
        advice=arguments.get("command", ""),
        files=tuple(arguments.get("files", ())),
        triggers=_triggers(arguments.get("on_command", "")),
    )
    lesson = record(caller.world, teller_of(caller), words)
    if lesson.is_known:
        return joined((ours("Known already, as "), stamp(lesson.id), ours(_KNOWN)))
    return joined((ours("Noted as "), stamp(lesson.id), ours(_NOTED)))


def teller_of(caller: Caller) -> LessonSource:
    return LessonSource(caller.agent, caller.session, caller.started_ms)


def _scope(caller: Caller, arguments: Mapping[str, Any]) -> Scope:
    if arguments.get("holds") == _EVERYWHERE:
        return EVERYWHERE
    with readonly_database(caller.world.layout) as db:
        repo = repo_of(db, caller, arguments)
    if not repo:
        raise UsageError(
            "No repository is known here. Give `folder` or `repo`; or say in `holds` that it applies everywhere."
        )
    return Scope(ScopeKind.REPO, repo)


def _triggers(line: str) -> tuple[Trigger, ...]:
    if not line:
        return ()
    commands = parse(line).commands
    if len(commands) != 1 or not commands[0].program:
        raise UsageError("`on_command` must be one simple command, such as `make count`.")
    return (Trigger(program=commands[0].program, words=tuple(commands[0].arguments)),)


RECORD_LESSON = Tool(
    name="record_lesson",
    title="Record a lesson",
    description=(
        "Call it when something took several attempts, when the user corrects you or says how they want things done,"
        " and before you end a task: keeps one thing for later sessions. One sentence that says when and what to do."
        " Nothing that a look at the code shows, nothing about this moment (no"
        " dates, ids, temporary paths), no secrets. It waits until a person approves it."
    ),
    properties={
        "lesson": text(
            "One sentence, such as: `make count` needs the tree index; run `make index` first.", SENTENCE_LIMIT
        ),
        "category": choice("What it is. Default: fact.", tuple(category.value for category in Category)),
        "holds": choice("What it applies to. Default: this repository.", (_HERE, _EVERYWHERE)),
        "command": text("The command line to use, if there is one.", 400),
        "on_command": text("The command at which this matters, such as: make count", 400),
        "files": texts("Files that it speaks of, below the repository.", _MOST_FILES),
        **PLACE,
    },
    needed=("lesson",),
    run=record_lesson,
    changes=True,
)


_HELPFUL, _WRONG = "helpful", "wrong"


def report_item(caller: Caller, arguments: Mapping[str, Any]) -> Shown:
    is_helpful = arguments["verdict"] == _HELPFUL
    item = report(caller.world, teller_of(caller), arguments["item"], is_helpful=is_helpful)
    verdict = ours(_HELPFUL if is_helpful else _WRONG)
    return joined(
        (ours("Noted that "), stamp(item.id), ours(" was "), verdict, ours(". `afterwit learn` takes it in."))
    )


REPORT_ITEM = Tool(
    name="report_item",
    title="Report a note as helpful or wrong",
    description=(
        "Call it right after a note has helped, or has turned out to be wrong, and you have seen it yourself. Wrong"
        " notes lose confidence and go away."
    ),
    properties={"item": ITEM, "verdict": choice("What you saw.", (_HELPFUL, _WRONG))},
    needed=("item", "verdict"),
    run=report_item,
    changes=True,
)

TOOLS = (EXPLAIN_ITEM, RECORD_LESSON, REPORT_ITEM)
