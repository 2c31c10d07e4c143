"""Times in JSON have one shape, whichever command prints them: ISO 8601 in UTC with a `Z`."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from afterwit.cli.main import afterwit
from afterwit.model.brief import Heading, id_of_line
from afterwit.model.check import Check, CheckKind
from afterwit.model.times import with_times

MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z")
SPANS = {"duration_ms", "first_success_ms", "p50_ms", "p95_ms"}
MOMENTS = {"date", "first_seen", "last_seen", "worded"}  # of items, as in index.json
TIMELIKE = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}")
EPOCH = range(946_684_800, 4_102_444_800)  # in seconds, 2000 to 2100; in milliseconds a thousand times that
FOREIGN = {
    *("text", "arguments", "snippet", "excerpt", "title", "task", "value", "what", "fact", "metadata", "error"),
    *("result", "called", "said"),
}
# What is asked of each command. An id stands for a session, an item, a template, a pattern or a line of the demo.
ASKED = {
    "learn": "--dry-run",
    "doctor": "",
    "status": "",
    "sample": "--count 3",
    "pause": "--agent codex",
    "resume": "",
    "read": "--plan --with gpt-5-mini",
    "recall": "--task tests",
    "templates create": "LONGER",
    "templates auto": "",
    "templates list": "",
    "templates show": "TEMPLATE",
    "templates stats": "",
    "sessions list": "",
    "sessions search": "pytest --limit 0",
    "sessions show": "SESSION",
    "sessions restore": "SESSION --dry-run",
    "sessions cost": "",
    "sessions repos": "",
    "sessions tools": "",
    "sessions users": "",
    "sessions pin": "SESSION",
    "sessions unpin": "SESSION",
    "sessions delete": "SESSION --dry-run",
    "store stat": "",
    "store verify": "",
    "store problems": "",
    "store backup create": "BACKUP",
    "store backup list": "BACKUP",
    "store backup prune": "BACKUP --dry-run",
    "store backup restore": "BACKUP --replace --dry-run",
    "store evict": "--soft-cap 0 --yes",
    "store dropped": "",
    "store compact": "",
    "config show": "",
    "config exclude": "",
    "connect status": "",
    "skills list": "",
    "measure skipping": "--sessions 10",
    "measure effect": "",
    "measure experiment show": "",
    "measure report": "",
    "memory store": "apple red",
    "memory retrieve": "apple",
    "memory query": "apple",
    "memory list": "",
    "memory info": "",
    "memory delete": "apple --yes",
    "knowledge list": "--all",
    "knowledge search": "pytest",
    "knowledge show": "ITEM",
    "knowledge approve": "ITEM",
    "knowledge why": "ITEM",
    "knowledge review": "",
    "knowledge undo": "--list",
    "knowledge rejected": "",
    "knowledge reconcile": "",
    "patterns detect": "--min-frequency 1",
    "patterns review": "--min-frequency 1",
    "patterns approve": "PATTERN",
    "patterns edit": "PATTERN --text Look.",
    "patterns list": "",
    "patterns show": "PATTERN",
    "patterns log": "",
    "patterns undo": "",
    "patterns reject": "PATTERN",
    "brief show": "orchard",
    "brief keep": "LINE --repo orchard",
    "brief edit": "orchard --from PAGE",
    "brief check": "PUSH --repo orchard",
    "brief drop": "OWN --repo orchard",
    "brief log": "orchard",
    "brief diff": "orchard",
    "checks add": "never edit map.txt --repo orchard",
    "checks try": "--repo orchard",
    "checks on": "CHECK --yes",
    "checks list": "orchard",
    "checks off": "CHECK",
    "checks remove": "CHECK",
}
# These print no time: names of files and jobs, counts, what was decided; or what one above prints, too.
WITHOUT_TIMES = {
    *("config set", "config unset", "places", "demo", "disconnect", "store rebuild", "store backup verify"),
    *("connect schedule", "connect agents", "connect file"),
    "blame",  # needs a checkout: tests/cli/test_blame.py
    "brief compile",  # needs a model: tests/reader/test_compiling_in_store.py
    *(f"config source {name}" for name in ("add", "check", "list", "remove")),
    *("measure backtest", "memory evaluate"),
    *(f"knowledge {name}" for name in ("add", "edit", "reject", "pin", "unpin", "retire", "forget", "audit")),
    *("knowledge export", "knowledge import", "templates delete"),
    *("skills show", "skills pairs", "skills trends"),  # tests/extras/lab/skills/cli: the demo uses no skill
    *(f"skills evolve {name}" for name in ("list", "show", "accept", "reject", "rollback", "log")),  # nor proposes one
    *("patterns diff", "patterns merge", "patterns split"),
    *(
        "patterns publish",
        "patterns unpublish",
    ),  # need agents or a file: tests/extras/lab/patterns/cli
    *(f"store hub {name}" for name in ("init", "status", "search")),  # need a server: tests/extras/team/hub
    *(f"store hub members {name}" for name in ("list", "add", "revoke", "remove")),
    "store sync",
    *(f"share {name}" for name in ("init", "push", "pull", "status", "log")),  # need a checkout: tests/extras/team/cli
    *(f"guards {name}" for name in ("list", "check", "show")),  # need a checkout: tests/extras/fixes/cli
}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    assert CliRunner().invoke(afterwit, ["demo", "--to", str(folder)]).exit_code == 0
    return folder


def fields(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every plain value, with the name of its field."""
    if name in FOREIGN:
        return
    if isinstance(value, dict):
        for key, item in value.items():
            yield from fields(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from fields(item, name)
    else:
        yield name, value


def faults(value: Any) -> list[tuple[str, Any]]:
    return [(name, plain) for name, plain in fields(value) if is_faulty(name, plain)]


def is_faulty(name: str, value: Any) -> bool:
    if name.endswith("_at") or name in MOMENTS:
        return value != "" and (not isinstance(value, str) or not MOMENT.fullmatch(value))
    if name.endswith("_ms"):
        return name not in SPANS
    if isinstance(value, str):
        return bool(TIMELIKE.match(value))
    return isinstance(value, int) and (value in EPOCH or value // 1000 in EPOCH) and not name.endswith("bytes")


def asked(arguments: list[str]) -> Any:
    done = CliRunner().invoke(afterwit, [*arguments, "--json"])
    assert done.exit_code in (0, 1), done.output
    return json.loads(done.stdout)


def test_every_command_with_json_gives_times_in_one_shape(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(demo / "home"))
    monkeypatch.setenv("AFTERWIT_HOME", str(demo / "store"))
    session = asked(["sessions", "list", "--limit", "1", "--top"])["sessions"][0]["id"]
    item = asked(["knowledge", "list", "--limit", "1"])["items"][0]["id"]
    longer = asked(["sessions", "list", "--limit", "1", "--top", "--agent", "claude-code"])["sessions"][0]["id"]
    template = asked(["templates", "create", longer])["template"]["id"]
    pattern = asked(["patterns", "detect", "--min-frequency", "1"])[0]["id"]
    names = {"SESSION": session, "LONGER": longer, "ITEM": item, "TEMPLATE": template, "PATTERN": pattern}
    names["BACKUP"] = str(demo / "backup")
    names["LINE"] = asked(["brief", "show", "orchard"])["lines"][0]["id"]
    names["PAGE"], names["OWN"] = str(demo / "page.md"), id_of_line("github.com/acme/orchard", "Ask before a frost.")
    pushing = "Never run `git push` unless the user asks."
    names["PUSH"] = id_of_line("github.com/acme/orchard", pushing)
    names["CHECK"] = Check(kind=CheckKind.NOT_FILE, path="map.txt", repo="github.com/acme/orchard").id
    page = f"## {Heading.WISH.in_words}\n\n- Ask before a frost.\n- {pushing}\n"
    Path(names["PAGE"]).write_text(page, "utf-8")
    seen: set[str] = set()
    for command, options in ASKED.items():
        words = [names.get(word, word) for word in options.split()]
        answer = asked([*command.split(), *words])
        assert (command, faults(answer)) == (command, [])
        seen |= {name for name, value in fields(answer) if isinstance(value, str) and MOMENT.fullmatch(value)}
    digest = asked(["sessions", "show", session, "--digest"])
    assert faults(digest) == []
    assert {
        "happened_at",
        "started_at",
        "ended_at",
        "last_at",
        "last_run_at",
        "dropped_at",
        "since_at",
        "created_at",
    } <= seen
    lines = CliRunner().invoke(afterwit, ["sessions", "export"]).stdout.splitlines()
    assert [fault for line in lines for fault in faults(json.loads(line))] == []


def test_no_command_with_json_is_forgotten() -> None:
    def leaves(command: click.Command, context: click.Context, name: str) -> Iterator[tuple[str, click.Command]]:
        if not isinstance(command, click.Group):
            yield name, command
            return
        for child in command.list_commands(context):
            inner = command.get_command(context, child)
            if inner is not None:
                yield from leaves(inner, context, f"{name} {child}".strip())

    context = click.Context(afterwit, info_name="afterwit")
    with_json = {
        name
        for name, command in leaves(afterwit, context, "")
        if any("--json" in option.opts for option in command.params)
    }
    assert with_json - ASKED.keys() - WITHOUT_TIMES == set()


def test_spans_and_what_others_wrote_stay_as_they_are() -> None:
    given = {"at_ms": 1, "duration_ms": 5, "metadata": {"at_ms": 7}, "inner": [{"started_ms": None}]}
    assert with_times(given) == {
        "happened_at": "1970-01-01T00:00:00.001Z",
        "duration_ms": 5,
        "metadata": {"at_ms": 7},
        "inner": [{"started_at": ""}],
    }
