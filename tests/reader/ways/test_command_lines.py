"""Command lines of agents as ways to a model, with small programs in their place."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import textwrap
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from afterwit.reader.answers import notes_schema
from afterwit.reader.ways.command_lines import CommandLineWay, claude_code, codex, gemini
from afterwit.reader.ways.way import ModelQuestion, WaySurroundings
from afterwit.redaction.markers import READING

QUESTION = ModelQuestion("a1b2", "Read this.", "1 user: mail ada@orchard.example, see @~/.ssh/id_rsa", notes_schema())
ANSWER = '{"notes": []}'
CLAUDE_OPTIONS = (
    "-p, --print --safe-mode --tools <tools...> --strict-mcp-config --no-session-persistence"
    " --system-prompt <prompt> --output-format <format> --model"
)
CODEX_OPTIONS = "--ephemeral --output-schema <FILE> -s, --sandbox --json --disable <FEATURE> --skip-git-repo-check"
GEMINI_OPTIONS = "-o, --output-format -e, --extensions --skip-trust --approval-mode -m, --model"
FEATURES = "hooks            stable             true\nshell_tool       stable   true\ngoals  under development  false"
SERVERS = '[{"name": "weather"}]'
SAID = {
    "is_error": False,
    "result": ANSWER,
    "modelUsage": {"m": {"inputTokens": 100, "cacheReadInputTokens": 7, "outputTokens": 20}},
}
SECONDS = 20.0


class Clients:
    """Programs in a folder of their own, which note how they were called."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.folder = folder / "store" / "reading"
        self._programs = folder / "bin"
        self._programs.mkdir()
        self.home.mkdir()

    def put(self, name: str, code: str, told: dict[str, str]) -> None:
        """Says of itself what it is told to, and does the rest otherwise."""
        begin = f"""\
            #!{sys.executable} -I
            import json, os, sys, time
            told = {told!r}
            if " ".join(sys.argv[1:]) in told:
                print(told[" ".join(sys.argv[1:])])
                raise SystemExit
            noted = {{"arguments": sys.argv[1:], "environ": dict(os.environ), "cwd": os.getcwd()}}
            noted["text"] = sys.stdin.read()
            """
        path = self._programs / name
        path.write_text(textwrap.dedent(begin) + textwrap.dedent(code), encoding="utf-8")
        path.chmod(0o755)

    def surroundings(self, **more: str) -> WaySurroundings:
        return WaySurroundings({"PATH": f"{self._programs}:/usr/bin:/bin", **more}, self.home, self.folder)

    @property
    def noted(self) -> Any:
        noted: Any = json.loads((self.home / "noted.json").read_text(encoding="utf-8"))
        return noted


NOTE = 'open(os.path.expanduser("~/noted.json"), "w").write(json.dumps(noted))\n'


@pytest.fixture
def clients(tmp_path: Path) -> Clients:
    return Clients(tmp_path)


def claude(clients: Clients, code: str, options: str = CLAUDE_OPTIONS, model: str = "") -> CommandLineWay:
    clients.put("claude", code, {"--help": options})
    return claude_code(model, clients.surroundings(CLAUDECODE="1"))


def test_claude_code_is_asked_without_tools_hooks_servers_and_transcript(clients: Clients) -> None:
    way = claude(clients, f"{NOTE}print(json.dumps({SAID!r}))", model="orchard-1")
    assert way.refusal() == ""
    assert way.answer(QUESTION, SECONDS) == ("a1b2", ANSWER, 107, 20, "")
    noted = clients.noted
    assert noted["arguments"] == [
        *("--print", "--safe-mode", "--strict-mcp-config", "--no-session-persistence", "--tools", ""),
        *("--output-format", "json", "--system-prompt", "Read this.", "--model", "orchard-1"),
    ]
    assert (noted["environ"]["AFTERWIT_READING"], "CLAUDECODE" in noted["environ"]) == ("1", False)


def test_a_client_works_in_a_private_empty_folder_of_ours_and_leaves_nothing_there(clients: Clients) -> None:
    claude(clients, f"{NOTE}print(json.dumps({SAID!r}))").answer(QUESTION, SECONDS)
    work = clients.folder / "work"
    assert clients.noted["cwd"] == str(work)
    assert [path.name for path in clients.folder.rglob("*")] == ["work"]
    assert work.stat().st_mode & 0o077 == 0


def test_a_text_begins_with_our_marker_and_names_no_file_to_attach(clients: Clients) -> None:
    code = f'{NOTE}said = {SAID!r}\nsaid["result"] = noted["text"]\nprint(json.dumps(said))'
    given = claude(clients, code).answer(QUESTION, SECONDS)
    text = str(clients.noted["text"])
    assert text.startswith(f"{READING}\n1 user: mail ada")
    assert "@" not in text
    assert given.text == f"{READING}\n{QUESTION.text}"


def test_an_at_sign_that_a_model_escaped_is_put_back(clients: Clients) -> None:
    code = f'said = {SAID!r}\nsaid["result"] = json.dumps({{"a": noted["text"][-11:]}})\nprint(json.dumps(said))'
    assert json.loads(claude(clients, code).answer(QUESTION, SECONDS).text) == {"a": QUESTION.text[-11:]}


def test_a_version_that_lacks_an_option_is_refused_and_never_asked(clients: Clients) -> None:
    way = claude(clients, NOTE, options=CLAUDE_OPTIONS.replace("--safe-mode", "--safe-modes"))
    assert "it has no --safe-mode. Update it" in way.refusal()
    given = way.answer(QUESTION, SECONDS)
    assert (given.fault, given.tokens_in) == (way.refusal(), 0)
    assert not (clients.home / "noted.json").exists()


def test_a_client_that_is_not_installed_is_refused(clients: Clients) -> None:
    assert "there is no `codex` on the PATH" in codex("", clients.surroundings()).refusal()


def test_a_name_of_a_model_cannot_be_an_option(clients: Clients) -> None:
    assert claude(clients, NOTE, model="--continue").refusal() == "'--continue' is no name of a model."


def test_what_a_client_says_of_its_failure_is_the_fault(clients: Clients) -> None:
    failed = {"is_error": True, "result": "Please run /login"}
    given = claude(clients, f"print(json.dumps({failed!r}))\nraise SystemExit(1)").answer(QUESTION, SECONDS)
    assert given == ("a1b2", "", None, None, "Please run /login (exit code 1)")


def test_without_words_the_last_line_of_its_errors_is_the_fault(clients: Clients) -> None:
    given = claude(clients, 'sys.exit("first\\nno such host")').answer(QUESTION, SECONDS)
    assert given.fault == "no such host (exit code 1)"


def test_what_cannot_be_called_is_a_fault_that_took_nothing(clients: Clients) -> None:
    way = claude(clients, f"print(json.dumps({SAID!r}))")
    given = way.answer(QUESTION._replace(system="x" * 200_000), SECONDS)
    assert (given.tokens_in, "Claude Code cannot be called" in given.fault) == (0, True)
    clients.folder.parent.mkdir(exist_ok=True)
    shutil.rmtree(clients.folder)
    clients.folder.write_text("in the way", encoding="utf-8")
    assert "Claude Code cannot be called" in way.answer(QUESTION, SECONDS).fault


@pytest.mark.slow
def test_a_client_that_hangs_is_ended_with_its_children(clients: Clients) -> None:
    code = """
        import subprocess
        child = subprocess.Popen(["sleep", "600"])
        noted = {"pids": [os.getpid(), child.pid]}
        open(os.path.expanduser("~/noted.json"), "w").write(json.dumps(noted))
        time.sleep(600)
    """
    way = claude(clients, code)
    assert way.refusal() == ""
    given = way.answer(QUESTION, 2.0)
    assert (given.fault, given.tokens_in) == ("no answer within 2 seconds", None)
    for process in clients.noted["pids"]:
        must_end(process)


def test_a_child_that_a_client_leaves_does_not_keep_us_waiting_and_is_ended(clients: Clients) -> None:
    code = f"""
        import subprocess
        child = subprocess.Popen(["sleep", "600"])
        noted = {{"pids": [child.pid]}}
        open(os.path.expanduser("~/noted.json"), "w").write(json.dumps(noted))
        print(json.dumps({SAID!r}))
    """
    assert claude(clients, code).answer(QUESTION, SECONDS).text == ANSWER
    for process in clients.noted["pids"]:
        must_end(process)


def test_a_client_that_floods_us_is_ended(clients: Clients) -> None:
    given = claude(clients, 'while True: print("x" * 100_000)').answer(QUESTION, SECONDS)
    assert given.fault == "more output than 4 MB"


def test_a_client_that_does_not_listen_is_heard_all_the_same(clients: Clients) -> None:
    clients.put("claude", "", {"--help": CLAUDE_OPTIONS})
    program = clients.surroundings().environ["PATH"].partition(":")[0] + "/claude"
    said = json.dumps(SAID)
    Path(program).write_text(
        f"#!/bin/sh\ncase $1 in --help) echo '{CLAUDE_OPTIONS}';; *) exec <&-; echo '{said}';; esac\n", encoding="utf-8"
    )
    question = QUESTION._replace(text="x" * 1_000_000)
    assert claude_code("", clients.surroundings()).answer(question, SECONDS).text == ANSWER


def test_when_we_are_killed_the_client_ends_and_the_next_call_clears_up(clients: Clients) -> None:
    code = """
        open(os.path.expanduser("~/pid.fifo"), "w").write(str(os.getpid()))
        time.sleep(600)
    """
    way = claude(clients, code)
    os.mkfifo(clients.home / "pid.fifo")
    ours = """
import sys
from pathlib import Path
from afterwit.reader.ways.command_lines import claude_code
from afterwit.reader.ways.way import ModelQuestion, WaySurroundings
path, home, folder = sys.argv[1:]
claude_code("", WaySurroundings({"PATH": path}, Path(home), Path(folder))).answer(ModelQuestion("a", "b", "c"), 600)
"""
    places = (clients.surroundings().environ["PATH"], str(clients.home), str(clients.folder))
    caller = subprocess.Popen([sys.executable, "-c", ours, *places])
    client = int((clients.home / "pid.fifo").read_text(encoding="utf-8"))
    left = list(clients.folder.glob("call-*"))
    caller.send_signal(signal.SIGKILL)
    caller.wait()
    must_end(client)
    assert len(left) == 1
    clients.put("claude", f"print(json.dumps({SAID!r}))", {"--help": CLAUDE_OPTIONS})
    assert way.answer(QUESTION, SECONDS).text == ANSWER
    assert list(clients.folder.glob("call-*")) == []


def test_codex_is_asked_without_hooks_shell_servers_and_transcript(clients: Clients) -> None:
    events = [
        {"type": "item.completed", "item": {"type": "agent_message", "text": "Thinking"}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": ANSWER}},
        {"type": "turn.completed", "usage": {"input_tokens": 100, "output_tokens": 20}},
    ]
    code = f"""
        names = [word for word in sys.argv if word.endswith(".json")]
        noted["schema"] = json.load(open(names[0]))
        {NOTE.strip()}
        for event in {events!r}: print(json.dumps(event))
    """
    clients.put("codex", code, codex_told())
    way = codex("", clients.surroundings())
    assert way.refusal() == ""
    assert way.answer(QUESTION, SECONDS) == ("a1b2", ANSWER, 100, 20, "")
    arguments = list(clients.noted["arguments"])
    assert arguments[:6] == ["exec", "--ephemeral", "--skip-git-repo-check", "--sandbox", "read-only", "--json"]
    off = [name for option, name in pairwise(arguments) if option == "--disable"]
    assert off == ["hooks", "shell_tool"]  # goals are off by themselves
    assert "mcp_servers.weather.enabled=false" in arguments
    assert clients.noted["schema"]["required"] == ["notes", "repeats"]


@pytest.mark.parametrize(
    ("question", "told", "reason"),
    [
        ("exec --help", CODEX_OPTIONS.replace("--ephemeral", ""), "it has no --ephemeral"),
        ("features list", FEATURES.replace("hooks", "codex_hooks"), "how to turn off hooks"),
        ("mcp list --json", "none", "which MCP servers"),
        ("mcp list --json", '[{"name": "a.b"}]', "'a.b' cannot be turned off"),
    ],
)
def test_a_codex_that_cannot_be_kept_apart_is_refused(clients: Clients, question: str, told: str, reason: str) -> None:
    clients.put("codex", NOTE, {**codex_told(), question: told})
    assert reason in codex("", clients.surroundings()).refusal()


def test_a_client_that_says_nothing_of_itself_is_refused(clients: Clients) -> None:
    clients.put("codex", "raise SystemExit(3)", {"exec --help": CODEX_OPTIONS})
    refusal = codex("", clients.surroundings()).refusal()
    assert "`codex features list` does not say what it can do (exit code 3)" in refusal


def test_a_turn_of_codex_that_failed_is_a_fault(clients: Clients) -> None:
    code = 'print(json.dumps({"type": "turn.failed", "error": {"message": "usage limit"}}))\nraise SystemExit(1)'
    clients.put("codex", code, codex_told())
    assert codex("", clients.surroundings()).answer(QUESTION, SECONDS).fault == "usage limit (exit code 1)"


def test_gemini_gets_a_home_of_its_own_that_goes_with_its_transcript(clients: Clients) -> None:
    said = {
        "response": ANSWER,
        "stats": {"models": {"m": {"tokens": {"prompt": 100, "candidates": 20, "thoughts": 5}}}},
    }
    code = f"""
        place = os.environ["GEMINI_CLI_HOME"]
        noted["settings"] = json.load(open(place + "/.gemini/settings.json"))
        noted["prompt"] = open(os.environ["GEMINI_SYSTEM_MD"]).read()
        open(place + "/.gemini/session.jsonl", "w").write(noted["text"])
        {NOTE.strip()}
        print("a warning")
        print(json.dumps({said!r}, indent=2))
    """
    clients.put("gemini", code, {"--help": GEMINI_OPTIONS})
    way = gemini("", clients.surroundings(GEMINI_API_KEY="dummy"))
    assert way.refusal() == ""
    assert way.answer(QUESTION, SECONDS) == ("a1b2", ANSWER, 100, 25, "")
    noted = clients.noted
    assert (noted["prompt"], noted["settings"]["tools"]) == ("Read this.", {"core": []})
    assert [path.name for path in clients.folder.rglob("*")] == ["work"]
    assert [path.name for path in clients.home.iterdir()] == ["noted.json"]


def test_gemini_with_a_login_is_refused_because_it_would_leave_transcripts(clients: Clients) -> None:
    clients.put("gemini", NOTE, {"--help": GEMINI_OPTIONS})
    assert "GEMINI_API_KEY is not set" in gemini("", clients.surroundings()).refusal()


def codex_told() -> dict[str, str]:
    return {"exec --help": CODEX_OPTIONS, "features list": FEATURES, "mcp list --json": SERVERS}


def must_end(process: int) -> None:
    """Waits for the end of a process that was killed."""
    if not hasattr(os, "pidfd_open"):
        pytest.skip("there is no way here to wait for another's child")
    with suppress(ProcessLookupError):
        watch = os.pidfd_open(process)
        ended, _, _ = select.select([watch], [], [], SECONDS)
        os.close(watch)
        assert ended
