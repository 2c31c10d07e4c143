import os
import subprocess
import sys
import tomllib
from collections import Counter
from importlib import import_module
from pathlib import Path, PurePosixPath

import msgspec
import pytest
from tests.every import for_every

from afterwit.agents.declared.parsing import description_from
from afterwit.agents.descriptor import Agent, agent_of
from afterwit.agents.hook_payloads import described, payloads_of
from afterwit.agents.registry import AGENTS, agent, agents_with, homes, reader_for
from afterwit.model.errors import UsageError

HOME = Path("/home/someone")
DOCUMENTED = Path(__file__).parents[2] / "docs/parts/agents.toml"
CORPUS = os.environ.get("AFTERWIT_CORPUS")


def homes_of(name: str, environ: dict[str, str] | None = None, platform: str = "linux") -> list[str]:
    return [path.as_posix() for path in homes(agent(name), HOME, environ or {}, platform)]


def test_names_are_unique_and_in_kebab_case() -> None:
    names = [each.name for each in AGENTS]
    assert len(set(names)) == len(names)
    assert all(name.replace("-", "").isalpha() and name == name.lower() for name in names)


def test_agents_are_those_that_are_documented_in_the_same_order() -> None:
    assert [each.name for each in AGENTS] == list(tomllib.loads(DOCUMENTED.read_text("utf-8")))


@pytest.mark.parametrize("known", AGENTS, ids=lambda known: known.name)
def test_an_agent_is_described_in_the_package_of_its_name(known: Agent) -> None:
    assert agent_of(described(known.name)) == known
    assert import_module(f"afterwit.agents.{known.folder}").__doc__


def test_a_description_with_a_word_too_many_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="retentoin"):
        agent_of({**described("codex"), "retentoin": {}})


@pytest.mark.parametrize("name", ["clyde", "", "../codex", "codex.reader", "registry", "declared"])
def test_what_is_no_agent_has_no_description(name: str) -> None:
    assert described(name) == {}
    assert payloads_of(name) is None


def test_an_unknown_agent_is_refused_with_the_known_names() -> None:
    with pytest.raises(UsageError, match=r"'clyde'.*claude-code"):
        agent("clyde")


def test_homes_are_below_the_users_home() -> None:
    assert homes_of("claude-code") == ["/home/someone/.claude"]
    assert homes_of("pi") == ["/home/someone/.pi/agent"]


def test_stores_without_a_home_lie_anywhere() -> None:
    homeless = [each for each in AGENTS if not each.homes]
    assert all(pattern.startswith("**/") for each in homeless for pattern in each.transcripts)
    assert "aider" in [each.name for each in homeless]
    assert homes_of("aider") == []


@for_every(
    "name, variable, home",
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", "/elsewhere"),
        ("codex", "CODEX_HOME", "/elsewhere"),
        ("grok", "GROK_HOME", "/elsewhere"),
        ("hermes", "HERMES_HOME", "/elsewhere"),
        ("gemini", "GEMINI_CLI_HOME", "/elsewhere/.gemini"),
        ("opencode", "XDG_DATA_HOME", "/elsewhere/opencode"),
        ("amp", "XDG_DATA_HOME", "/elsewhere/amp"),
        ("goose", "GOOSE_PATH_ROOT", "/elsewhere/data"),
        ("goose", "XDG_DATA_HOME", "/elsewhere/goose"),
        ("pi", "PI_CODING_AGENT_DIR", "/elsewhere"),
        ("openclaw", "OPENCLAW_STATE_DIR", "/elsewhere"),
        ("droid", "FACTORY_DIR", "/elsewhere"),
        ("copilot", "COPILOT_HOME", "/elsewhere"),
        ("qwen", "QWEN_RUNTIME_DIR", "/elsewhere"),
        ("qwen", "QWEN_HOME", "/elsewhere"),
        ("kimi", "KIMI_SHARE_DIR", "/elsewhere"),
        ("kimi-code", "KIMI_CODE_HOME", "/elsewhere"),
        ("cursor-cli", "CURSOR_CONFIG_DIR", "/elsewhere"),
        ("cline-cli", "CLINE_DIR", "/elsewhere/data"),
        ("cline-cli", "CLINE_DATA_DIR", "/elsewhere"),
    ],
)
def test_a_variable_moves_the_home(name: str, variable: str, home: str) -> None:
    assert homes_of(name, {variable: "/elsewhere"}) == [home]


def test_the_first_variable_that_is_set_wins_and_empty_ones_do_not_count() -> None:
    environ = {"CLINE_SESSION_DATA_DIR": " ", "CLINE_DATA_DIR": "/data", "CLINE_DIR": "/cline"}
    assert homes_of("cline-cli", environ) == ["/data"]


def test_a_variable_with_a_tilde_or_a_relative_path_stays_below_the_users_home() -> None:
    assert homes_of("codex", {"CODEX_HOME": "~/work/codex"}) == ["/home/someone/work/codex"]
    assert homes_of("codex", {"CODEX_HOME": "codex"}) == ["/home/someone/codex"]


def test_homes_differ_by_platform_where_they_do() -> None:
    assert homes_of("cursor", platform="linux") == ["/home/someone/.config/Cursor/User/globalStorage"]
    assert homes_of("cursor", platform="darwin") == [
        "/home/someone/Library/Application Support/Cursor/User/globalStorage"
    ]
    assert homes_of("hermes", platform="win32") == ["/home/someone/AppData/Local/hermes"]
    assert homes_of("hermes", platform="darwin") == homes_of("hermes")
    assert all("AppData/Roaming" in home for home in homes_of("cline", platform="win32"))


@for_every(
    "name, path",
    [
        ("claude-code", "projects/-w-app/0a1b.jsonl"),
        ("claude-code", "projects/-w-app/0a1b/subagents/agent-1.jsonl"),
        ("claude-code", "projects/-w-app/0a1b/subagents/workflows/wf_1/agent-1.jsonl"),
        ("codex", "sessions/2026/05/01/rollout-2026-05-01T10-00-00-x.jsonl"),
        ("codex", "sessions/rollout-x.jsonl.zst"),
        ("codex", "archived_sessions/rollout-x.jsonl"),
        ("grok", "sessions/%2Fw%2Fapp/0197/updates.jsonl"),
        ("hermes", "state.db/20260501_101500_a1b2.jsonl"),
        ("hermes", "profiles/work/state.db/20260501_101500_a1b2.jsonl"),
        ("hermes", "sessions/session_20260501_101500_a1b2.json"),
        ("hermes", "sessions/20260501_101500_a1b2.jsonl"),
        ("gemini", "tmp/abc/chats/session-2026-05-01T10-00-0a1b2c3d.json"),
        ("gemini", "tmp/abc/chats/0a1b/0c2d.jsonl"),
        ("qwen", "projects/-w-app/chats/0a1b.jsonl"),
        ("qwen", "projects/-w-app/subagents/0a1b/agent-2.jsonl"),
        ("kimi", "sessions/0a1b/0c2d/wire.jsonl"),
        ("kimi", "sessions/0a1b/0c2d/context_1.jsonl"),
        ("kimi", "sessions/0a1b/0c2d/subagents/7/wire.jsonl"),
        ("opencode", "opencode.db/ses_1.jsonl"),
        ("opencode", "storage/ses_1.jsonl"),
        ("crush", "work/app/.crush/crush.db/0a1b.jsonl"),
        ("goose", "sessions/sessions.db/20260501_1.jsonl"),
        ("grok-cli", "grok.db/0a1b.jsonl"),
        ("cursor", "state.vscdb/0a1b.jsonl"),
        ("copilot", "session-state/0a1b/events.jsonl"),
        ("cline", "tasks/1777629600000/api_conversation_history.json"),
        ("cursor-cli", "projects/w-app/agent-transcripts/0a1b/0a1b.jsonl"),
        ("pi", "sessions/--w-app--/2026-05-01_0a1b.jsonl"),
        ("amp", "threads/T-0a1b.json"),
        ("aider", ".aider.chat.history.md"),
        ("aider", "work/app/.aider.chat.history.md"),
        ("swe-agent", "out/x/x.traj"),
        ("kimi", "sessions/0a1b/0c2d/context.jsonl"),
        ("kimi-code", "sessions/w/0c2d/agents/main/wire.jsonl"),
        ("mini-swe-agent", "out/x/x.traj.json"),
        ("mini-swe-agent", "traj.json"),
        ("atif", "jobs/x/agent/trajectory.json"),
        ("grok", "sessions/%2Fw%2Fapp/0197/subagents/0198/updates.jsonl"),
        ("openhands", "conversations/0a1b.jsonl"),
        ("openhands", "users/someone/conversations/0a1b.jsonl"),
        ("openhands", "out/output.jsonl"),
        ("chat", "any/where.jsonl"),
    ],
)
def test_transcripts_are_known_by_their_path(name: str, path: str) -> None:
    assert agent(name).matches(PurePosixPath(path))


@for_every(
    "name, path",
    [
        ("claude-code", "projects/history.jsonl"),
        ("claude-code", "projects/-w-app/0a1b/subagents/agent-1.meta.json"),
        ("claude-code", "other/projects/-w-app/0a1b.jsonl"),
        ("codex", "sessions/history.jsonl"),
        ("codex", "session_index.jsonl"),
        ("gemini", "tmp/abc/logs.json"),
        ("copilot", "session-state/0a1b/deeper/events.jsonl"),
        ("hermes", "sessions/sessions.json"),
        ("hermes", "stateXdb"),
        ("pi", "sessions/flat.jsonl"),
        ("openhands", "sessions/0a1b/events/1.json"),
        ("swe-agent", "out/x/x.traj.json"),
    ],
)
def test_other_files_are_no_transcripts(name: str, path: str) -> None:
    assert not agent(name).matches(PurePosixPath(path))


def test_an_agent_without_a_reader_has_none() -> None:
    assert all(reader_for(each.name) is None for each in AGENTS if not each.is_read)


@pytest.mark.parametrize("known", [each for each in AGENTS if each.is_read], ids=lambda each: each.name)
def test_a_reader_carries_the_name_of_its_agent_and_is_made_once(known: Agent) -> None:
    reader = reader_for(known.name)
    assert reader is not None
    assert reader.agent == known.name
    assert reader_for(known.name) is reader


def test_hermes_and_chat_differ_in_their_paths() -> None:
    hermes, chat = reader_for("hermes"), reader_for("chat")
    assert hermes is not None
    assert chat is not None
    path = PurePosixPath("notes/talk.jsonl")
    assert (hermes.primary(path), chat.primary(path)) == (None, path)


TINKER = description_from(
    """
    name = "tinker"
    homes = ["~/.tinker", "/var/log/tinker"]
    transcripts = ["logs/*.jsonl"]
    sniff = { type = "hello" }
    event = { kind = "prompt", text = "message" }
    """,
    "tinker.toml",
)


def test_what_people_have_declared_is_an_agent_for_those_who_bring_it() -> None:
    known = agent("tinker", (TINKER,))
    assert homes(known, HOME, {}, "linux") == (HOME / ".tinker", Path("/var/log/tinker"))
    assert known.matches(PurePosixPath("logs/monday.jsonl"))
    assert [each.name for each in agents_with([TINKER])] == ["tinker", *(each.name for each in AGENTS)]
    with pytest.raises(UsageError, match="'tinker'"):
        agent("tinker")


def test_the_reader_of_a_declared_agent_is_made_from_its_description() -> None:
    reader = reader_for("tinker", (TINKER,))
    assert reader is not None
    assert reader.agent == "tinker"
    assert reader_for("codex", (TINKER,)) is not None


def test_an_agent_that_nobody_knows_any_more_has_no_reader() -> None:
    assert reader_for("tinker") is None


def test_the_registry_imports_no_reader() -> None:
    code = "import sys, afterwit.agents.registry; print(*[m for m in sys.modules if m.endswith('.reader')])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []


@pytest.mark.skipif(CORPUS is None, reason="AFTERWIT_CORPUS names no folder of real transcripts")
def test_every_file_of_the_corpus_is_a_transcript_of_its_agent() -> None:
    found: Counter[tuple[str, bool]] = Counter()
    for each in AGENTS:
        reader = reader_for(each.name)
        for home in homes(each, Path(CORPUS or ""), {}, "linux"):
            below = [PurePosixPath(path.relative_to(home)) for path in home.rglob("*") if path.is_file()]
            for path in filter(each.matches, below):
                found[each.name, reader is not None and reader.primary(path) == path] += 1
    assert sum(found.values()) == sum(1 for path in Path(CORPUS or "").rglob("*/*") if path.is_file())
    assert found == {("claude-code", True): 170, ("codex", True): 76, ("gemini", True): 4, ("copilot", True): 12}
