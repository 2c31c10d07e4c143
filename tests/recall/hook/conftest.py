"""A store with a small deck, and a hook that is called as agents call it: a process with JSON on standard input."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from afterwit.model.knowledge import EVERYWHERE, Authority, Scope, ScopeKind, Trigger
from afterwit.recall.deck.deck_checks import DeckedCheck
from afterwit.recall.deck.firing_lines import FiringLine
from afterwit.recall.deck.write import DeckBlock, DeckContent, DeckExample, DeckSettings, DeckThread, write_deck
from afterwit.recall.prompt_block import BlockLine, BlockSection
from afterwit.redaction.shown import ours
from afterwit.store import spool
from afterwit.store.layout import Layout

REPO = "example.org/team/orchard"
KEY = b"k" * 32
MAIN = "from afterwit.recall.hook.entry import main; main()"
HERE = Scope(ScopeKind.REPO, REPO)


class Answered(NamedTuple):
    code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> Any:
        return json.loads(self.stdout) if self.stdout else None

    @property
    def context(self) -> str:
        """The text for the model, in Claude Code's shape."""
        return str(self.output["hookSpecificOutput"].get("additionalContext", "")) if self.stdout else ""


class Hook:
    """Calls the hook in a project of its own."""

    def __init__(self, layout: Layout, project: Path) -> None:
        self.layout = layout
        self.project = project
        self.environ = {
            "HOME": str(layout.root.parent),
            "AFTERWIT_HOME": str(layout.root),
            "PATH": os.environ.get("PATH", ""),
        }

    def __call__(self, agent: str, event: str, payload: Any, *flags: str) -> Answered:
        content = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        return self.raw([agent, event, *flags], content)

    def raw(self, arguments: list[str], content: bytes) -> Answered:
        command = [sys.executable, "-I", "-c", MAIN, *arguments]
        ran = subprocess.run(command, input=content, capture_output=True, env=self.environ, timeout=60, check=False)
        return Answered(ran.returncode, ran.stdout.decode(), ran.stderr.decode())

    def claude(self, event: str, *flags: str, session: str = "s1", **fields: Any) -> Answered:
        payload = {"session_id": session, "cwd": str(self.project), **fields}
        return self("claude-code", event, payload, *flags)

    def qwen(self, event: str, **fields: Any) -> Answered:
        return self("qwen", event, {"session_id": "s1", "cwd": str(self.project), **fields})

    def failed(self, command: str, error: str, **fields: Any) -> Answered:
        """A command of Claude Code that ended with 1."""
        shell: dict[str, Any] = {
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "error": f"Exit code 1\n{error}",
        }
        return self.claude("after", hook_event_name="PostToolUseFailure", **shell, **fields)

    def before(self, command: str, *flags: str, **fields: Any) -> Answered:
        return self.claude("before", *flags, tool_name="Bash", tool_input={"command": command}, **fields)

    def records(self, kind: str) -> list[dict[str, Any]]:
        """What the spool holds, taken in or not."""
        lines = (line for path in sorted(self.layout.spool.glob("*.jsonl")) for line in path.read_bytes().splitlines())
        return [record for line in lines if (record := json.loads(line))["kind"] == kind]

    def waiting(self) -> list[dict[str, Any]]:
        return [record.body for batch in spool.drain(self.layout.spool) for record in batch.records]

    def compile(
        self,
        lines: list[FiringLine] | None = None,
        blocks: list[DeckBlock] | None = None,
        examples: tuple[DeckExample, ...] = (),
        threads: tuple[DeckThread, ...] = (),
        checks: Sequence[DeckedCheck] = (),
        **settings: Any,
    ) -> None:
        chosen = DeckSettings(**{"key": KEY, "session_share": 0.0, "item_share": 0.0, **settings})
        deck = DeckContent(
            chosen,
            roots={str(self.project): REPO},
            remotes={"example.org/team/orchard": REPO},
            blocks=BLOCKS if blocks is None else blocks,
            lines=LINES if lines is None else lines,
            examples=examples,
            threads=threads,
            checks=checks,
        )
        write_deck(self.layout.deck, deck)


BLOCKS = [
    DeckBlock(
        (
            BlockSection(
                ours("Standing rules"), (BlockLine("rule-1", ours("- Run `make check` before a commit (0.9).")),)
            ),
            BlockSection(
                ours("Commands that work here"), (BlockLine("cmd-1", ours("- Tests: `uv run pytest` (0.8).")),)
            ),
        ),
        repo=REPO,
    )
]
LINES = [
    FiringLine(
        item="fix-1",
        text=ours("`pnpm test --fast` fails here; use `pnpm run unit`."),
        scope=HERE,
        authority=Authority.GUIDANCE,
        advice="pnpm run unit",
        confidence=0.96,
        triggers=(
            Trigger(signature="pnpm test: unknown option --fast"),
            Trigger(program="pnpm", words=("test", "--fast")),
        ),
    ),
    FiringLine(
        item="other-repo",
        text=ours("Nothing of another repository."),
        scope=Scope(ScopeKind.REPO, "example.org/team/harbour"),
        confidence=0.99,
        triggers=(Trigger(signature="pnpm test: unknown option --fast"),),
    ),
    FiringLine(
        item="codex-only",
        text=ours("Only for Codex."),
        scope=Scope(ScopeKind.AGENT, "codex"),
        confidence=0.9,
        triggers=(Trigger(signature="gradl: command not found: gradl"),),
    ),
    FiringLine(
        item="path-1", text=ours("Files here are generated."), scope=HERE, triggers=(Trigger(path="src/api/*.py"),)
    ),
    FiringLine(
        item="topic-1",
        text=ours("The importer is in `src/importer.py`."),
        scope=HERE,
        triggers=(Trigger(topic=("import", "speed")),),
    ),
    FiringLine(
        item="tool-1",
        text=ours("Gradle is called by `./gradlew` here."),
        scope=EVERYWHERE,
        confidence=0.7,
        triggers=(Trigger(signature="gradl: command not found: gradl"),),
    ),
    FiringLine(
        item="change-1",
        text=ours("Instead of `wrapit cargo …`, which fails, call `cargo …`."),
        scope=HERE,
        advice="wrapit cargo → cargo",
        confidence=0.8,
        triggers=(Trigger(program="wrapit", words=("cargo",), signature="wrapit: unrecognized subcommand cargo"),),
    ),
    FiringLine(
        item="tests-1",
        text=ours("Tests fail: run them again."),
        scope=HERE,
        confidence=0.9,
        triggers=(Trigger(signature="pytest: tests fail"), Trigger(program="pytest"), Trigger(program="ruff")),
    ),
]


@pytest.fixture
def hook(tmp_path: Path) -> Hook:
    layout = Layout(tmp_path / "store")
    layout.create()
    project = tmp_path / "orchard"
    (project / "src").mkdir(parents=True)
    found = Hook(layout, project)
    found.compile()
    return found
