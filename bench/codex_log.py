"""Writes invented Codex rollouts: items, the events that say the same to a person, token counts, turns.

A unit is what is written at once: a call with its output, a prompt in both representations, or a single record. The
truth noted beside the lines is what the rollout means.
"""

import json
from collections.abc import Mapping

from bench import commands
from bench.log_file import LogFile, token, uuid7
from bench.mistakes import mistake
from bench.shape import RARE, Lines
from bench.texts import Style, path
from bench.words import CODEX_MODELS

_FAILING = 0.06
_KNOWN = 0.5  # of failing commands: a mistake that others made before
_REPEATED_COUNT = 0.12
_NEW_TURN = 0.9
_END, _CALL, _OUTPUT = "event_msg/exec_command_end", "response_item/function_call", "response_item/function_call_output"
_PATCH, _PATCHED = "response_item/custom_tool_call", "event_msg/patch_apply_end"
_USER, _TYPED = "response_item/message/user", "event_msg/user_message"
_SEARCH, _SEARCHED = "response_item/web_search_call", "event_msg/web_search_end"
_ALONE = (
    "event_msg/token_count",
    "response_item/reasoning",
    "event_msg/task_complete",
    "response_item/message/developer",
    RARE,
)


def units(kinds: Mapping[str, Lines]) -> dict[str, float]:
    """The share of each unit, from the shares of the records that it consists of."""
    share = {kind: lines.per_1000 for kind, lines in kinds.items()}
    return {kind: share[kind] for kind in _ALONE} | {
        "call": share[_CALL] - share[_END],
        "call, watched": share[_END],
        "patch": share[_PATCH] - share[_PATCHED],
        "patch, watched": share[_PATCHED],
        "reply": share["response_item/message/assistant"],
        "prompt": share[_TYPED],
        "context": share[_USER] - share[_TYPED],
        "turn": share["turn_context"],
        "search": share[_SEARCH],
    }


class CodexLog:
    """One rollout."""

    def __init__(self, log: LogFile, thread: bytes) -> None:
        self._log = log
        self._rng = log.rng
        self._thread = thread
        self._turn = thread
        self._model = self._rng.choice(CODEX_MODELS).encode()
        self._totals = [0, 0, 0, 0]
        self._last = (0, 0, 0, 0)
        self._mended = ""  # the command that sets the last mistake right

    def begin(self) -> tuple[str, ...]:
        scene = self._log.scene
        head = self._head(b"session_meta") + (
            b'"id":"%b","timestamp":"2026-05-01T10:00:00.000Z","cwd":"%b","originator":"codex-tui",'
            b'"cli_version":"0.140.0","source":"cli","model_provider":"openai","git":{"branch":"%b",'
            b'"repository_url":"git@git.example:fruit/%b.git"},"base_instructions":{"text":"'
            % (self._thread, scene.cwd.encode(), scene.branch.encode(), scene.repo.encode())
        )
        self._log.fill("session_meta", head, b'"}}}', Style.PROSE)
        self._start_turn()
        self._prompt()
        return "turn", "prompt"

    def write(self, unit: str) -> None:
        match unit:
            case "call" | "call, watched":
                self._call(is_watched=unit != "call")
            case "patch" | "patch, watched":
                self._patch(is_watched=unit != "patch")
            case "reply":
                self._reply()
            case "prompt":
                self._prompt()
            case "turn":
                self._start_turn()
            case "search":
                self._search()
            case "event_msg/token_count":
                self._count()
            case _:
                self._alone(unit)

    def end(self) -> None:
        """Nothing is left open."""

    def _head(self, kind: bytes) -> bytes:
        return b'{"timestamp":"%b","type":"%b","payload":{' % (self._log.tick(), kind)

    def _item(self, kind: bytes) -> bytes:
        return self._head(b"response_item") + b'"type":"%b",' % kind

    def _event(self, kind: bytes) -> bytes:
        return self._head(b"event_msg") + b'"type":"%b",' % kind

    def _start_turn(self) -> None:
        self._turn = uuid7(self._rng, self._log.now_ms + 1)
        if self._rng.random() < _NEW_TURN:
            head = self._event(b"task_started") + b'"turn_id":"%b","model_context_window":258400,"kind":"' % self._turn
            self._log.fill("event_msg/task_started", head, b'"}}', Style.PROSE)
        head = self._head(b"turn_context") + b'"turn_id":"%b","cwd":"%b","model":"%b","user_instructions":"' % (
            self._turn,
            self._log.scene.cwd.encode(),
            self._model,
        )
        self._log.fill("turn_context", head, b'"}}', Style.PROSE)

    def _twice(self, item: str, head: bytes, tail: bytes, event: str, echo: bytes, end: bytes) -> None:
        """One text in an item and in an event."""
        log = self._log
        place, start = log.sizes.place(item), log.shelf.start(Style.PROSE)
        room = max(12, log.sizes.at(item, place) - len(head) - len(tail) - 1)
        log.put(head, log.shelf.cut(Style.PROSE, start, room), tail)
        room = max(12, log.sizes.at(event, place) - len(echo) - len(end) - 1)
        log.put(echo, log.shelf.cut(Style.PROSE, start, room), end)

    def _prompt(self) -> None:
        head = self._item(b"message") + b'"role":"user","content":[{"type":"input_text","text":"'
        echo = self._event(b"user_message") + b'"images":[],"text_elements":[],"message":"'
        self._twice(_USER, head, b'"}]}}', _TYPED, echo, b'"}}')
        self._log.truth.prompts += 1

    def _reply(self) -> None:
        head = (
            self._item(b"message")
            + b'"role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"'
        )
        echo = self._event(b"agent_message") + b'"phase":"commentary","message":"'
        kind = "response_item/message/assistant"
        self._twice(kind, head, b'"}]}}', "event_msg/agent_message", echo, b'"}}')

    def _call(self, *, is_watched: bool) -> None:
        rng, log = self._rng, self._log
        log.truth.calls += 1
        call = b"call_" + token(rng, 24)
        is_failing = not self._mended and rng.random() < _FAILING
        log.truth.failures += is_failing
        head = self._item(b"function_call") + b'"name":"exec_command","arguments":"'
        tail = b'","call_id":"%b"}}' % call
        room = log.room(_CALL, head, tail) - 24
        command, said = self._failing() if is_failing else (self._working(room), b"")
        log.put(head, self._arguments(room, command), tail)
        code = rng.choice((1, 2)) if is_failing else 0
        if is_watched:
            head = self._event(b"exec_command_end") + b'"call_id":"%b","turn_id":"%b","cwd":"%b","stdout":"",' % (
                call,
                self._turn,
                log.scene.cwd.encode(),
            )
            head += b'"exit_code":%d,"duration":{"secs":1,"nanos":52000000},"status":"completed",' % code
            log.fill(_END, head + b'"aggregated_output":"' + said, b'"}}', Style.OUTPUT)
        head = self._item(b"function_call_output") + (
            b'"call_id":"%b","output":"Chunk ID: %b\\nWall time: 0.0521 seconds\\nProcess exited with code %d\\n'
            b"Original token count: 410\\nOutput:\\n%b" % (call, token(rng, 6), code, said)
        )
        log.fill(_OUTPUT, head, b'"}}', Style.OUTPUT)

    def _failing(self) -> tuple[str, bytes]:
        """A command that fails, and what is said of it."""
        if self._rng.random() >= _KNOWN:
            return commands.work(self._rng), b""
        command, said, self._mended = mistake(self._rng)
        return command, said.encode() + b"\\n"

    def _working(self, room: int) -> str:
        """A command line of about this length."""
        rng = self._rng
        if self._mended:
            command, self._mended = self._mended, ""
            return command
        command = commands.look(rng) if rng.random() < 0.95 else commands.piped(rng)
        return command if "|" in command else commands.chain(rng, command, room - 100)

    def _arguments(self, room: int, command: str) -> bytes:
        """The arguments of a call, of about this length, as JSON inside a JSON string."""
        said = {"cmd": command, "workdir": self._log.scene.cwd, "yield_time_ms": 1000}
        left = room - len(command) - len(self._log.scene.cwd) - 70
        if left > 20:
            said["justification"] = self._plain(left)
        return json.dumps(json.dumps(said))[1:-1].encode()

    def _plain(self, size: int) -> str:
        """Prose without anything that JSON would escape."""
        text = self._log.shelf.take(Style.PROSE, size).decode("utf-8", "replace")
        return text.replace("\\n", "  ").replace("\\", "/").replace('"', "'")

    def _patch(self, *, is_watched: bool) -> None:
        rng, log = self._rng, self._log
        log.truth.calls += 1
        call, file = b"call_" + token(rng, 24), path(rng).encode()
        is_failing = rng.random() < _FAILING
        log.truth.failures += is_failing
        head = self._item(b"custom_tool_call") + (
            b'"status":"completed","call_id":"%b","name":"apply_patch",'
            b'"input":"*** Begin Patch\\n*** Update File: %b\\n@@\\n' % (call, file)
        )
        log.fill(_PATCH, head, b'\\n*** End Patch\\n"}}', Style.CODE)
        if is_watched:
            head = self._event(b"patch_apply_end") + b'"call_id":"%b","turn_id":"%b","success":%b,"stdout":"' % (
                call,
                self._turn,
                b"false" if is_failing else b"true",
            )
            log.fill(_PATCHED, head, b'","stderr":"","status":"completed"}}', Style.CODE)
        said = b"apply_patch verification failed: " if is_failing else b"Success. Updated the following files:\\\\nM "
        head = self._item(b"custom_tool_call_output") + (
            b'"call_id":"%b","output":"{\\"output\\":\\"%b%b ' % (call, said, file)
        )
        tail = b'\\",\\"metadata\\":{\\"exit_code\\":%d,\\"duration_seconds\\":0.1}}"}}' % is_failing
        room = log.room("response_item/custom_tool_call_output", head, tail)
        log.put(head, self._plain(room).encode(), tail)

    def _search(self) -> None:
        log = self._log
        log.truth.calls += 1
        head = self._item(b"web_search_call") + b'"status":"completed","action":{"type":"search","query":"'
        log.fill(_SEARCH, head, b'"}}}', Style.PROSE)
        if self._rng.random() < 0.8:
            head = self._event(b"web_search_end") + b'"call_id":"ws_%b","query":"' % token(self._rng, 20)
            log.fill(_SEARCHED, head, b'"}}', Style.PROSE)

    def _count(self) -> None:
        rng, log = self._rng, self._log
        if not self._totals[0] or rng.random() >= _REPEATED_COUNT:
            read = rng.randint(5_000, 120_000)
            cached, output = rng.randint(0, read), rng.randint(20, 2_000)
            self._last = (read, cached, output, rng.randint(0, output))
            self._totals = [total + more for total, more in zip(self._totals, self._last, strict=True)]
            tokens = log.truth.tokens
            tokens.input += read - cached
            tokens.cache_read += cached
            tokens.output += output
            tokens.reasoning += self._last[3]
        head = self._event(b"token_count") + b'"info":{"total_token_usage":%b,"last_token_usage":%b,' % (
            _usage(*self._totals),
            _usage(*self._last),
        )
        head += b'"model_context_window":258400},"rate_limits":{"limit_id":"'
        log.fill("event_msg/token_count", head, b'"}}}', Style.PROSE)

    def _alone(self, unit: str) -> None:
        before, after = {
            "response_item/reasoning": (b'"summary":[],"id":"', b'"}}'),
            "event_msg/task_complete": (b'"turn_id":"%b","last_agent_message":"' % self._turn, b'"}}'),
            "response_item/message/developer": (
                b'"role":"developer","content":[{"type":"input_text","text":"',
                b'"}]}}',
            ),
            "context": (b'"role":"user","content":[{"type":"input_text","text":"<environment_context>', b'"}]}}'),
            RARE: (b'"prompt":"', b'"}}'),
        }[unit]
        heads = {
            "response_item/reasoning": (self._item, b"reasoning"),
            "event_msg/task_complete": (self._event, b"task_complete"),
            RARE: (self._event, b"collab_agent_spawn_end"),
        }
        kind, name = heads.get(unit, (self._item, b"message"))
        self._log.fill(_USER if unit == "context" else unit, kind(name) + before, after, Style.PROSE)


def _usage(read: int, cached: int, output: int, reasoning: int) -> bytes:
    return (
        b'{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"reasoning_output_tokens":%d,"total_tokens":%d}'
        % (read, cached, output, reasoning, read + output)
    )
