"""Writes invented Claude Code transcripts: the records, envelopes and pairs that real ones have.

A unit is what is written at once: a call with its result, or a single record. The truth that is noted beside the lines
is what the transcript means: prompts of people, calls, failures, tokens of each response counted once.
"""

from collections.abc import Callable, Mapping

from bench import commands
from bench.log_file import LogFile, token, uuid4
from bench.mistakes import mistake
from bench.shape import RARE, Lines
from bench.texts import Style, path
from bench.words import MODELS

_CALL, _RESULT, _SPOKEN = "assistant/tool_use", "user/tool_result", "user/text"
_VERSIONS = ("2.1.110", "2.1.150", "2.1.187")
_FAILING = 0.07
_KNOWN = 0.5  # of failing commands: a mistake that others made before
_NEW_FILE = 0.07
_LENGTHS = (0, 0, 0, 160, 240, 400)  # of command lines
_HIDDEN = 0.08  # successes by their exit, failures by their output
_TYPED = 0.7
_THOUGHT_SHOWN = 0.2  # most thoughts are kept as their signature only
_PICTURE = 8_000  # longer prompts hold a picture
_LONG_RESULT = 6_000  # is rarely the output of a command
_FAILED = (b"FAILED tests/test_crate.py::test_weigh - AssertionError: 3 != 4\\n", b"error: could not compile\\n")
_NOT_FOUND = b"<tool_use_error>String to replace not found in file.\\nString: "


def units(kinds: Mapping[str, Lines]) -> dict[str, float]:
    """The share of each unit."""
    return {kind: lines.per_1000 for kind, lines in kinds.items() if kind != _RESULT}


class ClaudeLog:
    """One transcript."""

    def __init__(self, log: LogFile, session: bytes) -> None:
        self._log = log
        self._rng = log.rng
        self._session = session
        self._uuid = uuid4(self._rng)
        self._slug = b"-".join(log.shelf.take(Style.PROSE, 5).replace(b"\\n", b"").split()[:3])
        self._version = self._rng.choice(_VERSIONS).encode()
        self._model = self._rng.choice(MODELS).encode()
        self._call = b""
        self._mended = ""  # the command that sets the last mistake right
        self._response, self._usage, self._output = b"", (0, 0, 0), 0
        self._result_size = 0
        self._child = b""
        self._child_call = b""
        self._plain = self._plain_units()

    def begin(self) -> tuple[str, ...]:
        self._prompt(is_typed=True)
        return (_SPOKEN,)

    def write(self, unit: str) -> None:
        if unit == _CALL:
            self._call_with_result()
        elif unit == "assistant/text":
            self._reply()
        elif unit == "assistant/thinking":
            self._thought()
        elif unit == _SPOKEN:
            self._prompt(is_typed=self._rng.random() < _TYPED)
        elif unit == "progress/agent_progress":
            self._subagent()
        else:
            self._plain[unit](unit)

    def end(self) -> None:
        self._close_response()

    def _envelope(self) -> bytes:
        parent, self._uuid = self._uuid, uuid4(self._rng)
        scene = self._log.scene
        return (
            b'"parentUuid":"%b","isSidechain":false,"userType":"external","entrypoint":"cli","cwd":"%b",'
            b'"sessionId":"%b","version":"%b","gitBranch":"%b","slug":"%b","uuid":"%b","timestamp":"%b"'
            % (
                parent,
                scene.cwd.encode(),
                self._session,
                self._version,
                scene.branch.encode(),
                self._slug,
                self._uuid,
                self._log.tick(),
            )
        )

    def _spoken(self) -> tuple[bytes, bytes]:
        """Both ends of an assistant's record around its content."""
        if not self._response or self._rng.random() < 0.5:
            self._close_response()
            self._response = b"msg_01" + token(self._rng, 22)
            self._usage = self._rng.randint(1, 9), self._rng.randint(9_000, 150_000), self._rng.randint(100, 9_000)
        output = self._rng.randint(1, 900)
        self._output = max(self._output, output)
        head = b'{%b,"type":"assistant","message":{"model":"%b","id":"%b","type":"message","role":"assistant",' % (
            self._envelope(),
            self._model,
            self._response,
        )
        read, cached, written = self._usage
        tail = (
            b'],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":%d,"cache_creation_input_tokens":%d,'
            b'"cache_read_input_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":0,'
            b'"ephemeral_1h_input_tokens":%d},"output_tokens":%d,"service_tier":"standard"}},"requestId":"req_01%b"}'
            % (read, written, cached, written, output, token(self._rng, 20))
        )
        return head + b'"content":[', tail

    def _close_response(self) -> None:
        """Of the records of one response the largest counts are the true ones."""
        if self._response:
            tokens = self._log.truth.tokens
            tokens.input += self._usage[0]
            tokens.cache_read += self._usage[1]
            tokens.cache_write += self._usage[2]
            tokens.output += self._output
        self._output = 0

    def _reply(self) -> None:
        head, tail = self._spoken()
        self._log.fill("assistant/text", head + b'{"type":"text","text":"', b'"}' + tail, Style.PROSE)

    def _thought(self) -> None:
        head, tail = self._spoken()
        head += b'{"type":"thinking","thinking":"'
        room = self._log.room("assistant/thinking", head, b'","signature":""}' + tail)
        thought = self._log.shelf.take(Style.PROSE, room // 3) if self._rng.random() < _THOUGHT_SHOWN else b""
        tail = b'","signature":"%b"}%b' % (token(self._rng, room - len(thought)), tail)
        self._log.put(head, thought, tail)

    def _prompt(self, *, is_typed: bool) -> None:
        meta = b"" if is_typed else b'"isMeta":true,'
        head = b'{%b"type":"user",%b,"message":{"role":"user","content":"' % (meta, self._envelope())
        mark = b"" if is_typed else b"<command-message>"
        room = max(16, self._log.room(_SPOKEN, head + mark, b'"}}'))
        if room > _PICTURE:
            self._picture(head.removesuffix(b'"') + b'[{"type":"text","text":"' + mark, room)
        else:
            self._log.put(head, mark + self._log.shelf.take(Style.PROSE, room), b'"}}')
        self._log.truth.prompts += is_typed

    def _picture(self, head: bytes, room: int) -> None:
        said = self._log.shelf.take(Style.PROSE, 120)
        source = b'"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"'
        self._log.put(head + said + source, token(self._rng, room - 240), b'"}}]}}')

    def _call_with_result(self) -> None:
        self._log.truth.calls += 1
        self._call = b"toolu_01" + token(self._rng, 22)
        head, tail = self._spoken()
        room = self._log.room(_CALL, head, tail) - 60
        self._result_size = self._log.sizes.draw(_RESULT)
        self._tool(room)(head, tail, room)

    def _tool(self, room: int) -> Callable[[bytes, bytes, int], None]:
        """A tool whose calls and results are of about these sizes."""
        draw = self._rng.random()
        if self._result_size > _LONG_RESULT:
            shell, read, search = 0.08, 0.56, 0.58
        elif room > 700:
            shell, read, search = 0.15, 0.15, 0.15
        else:
            shell, read, search = 0.65, 0.75, 0.84
        if draw < shell:
            return self._shell
        if room < 260 or (draw < read and room < 700):
            return self._read
        return self._search if read <= draw < search else self._edit

    def _use(self, head: bytes, tail: bytes, tool: bytes, arguments: bytes) -> None:
        block = b'{"type":"tool_use","id":"%b","name":"%b","input":{%b}}' % (self._call, tool, arguments)
        self._log.put(head, block, tail)

    def _shell(self, head: bytes, tail: bytes, room: int) -> None:
        rng, log = self._rng, self._log
        said = b""
        if self._mended:
            command, self._mended = self._mended, ""
        elif rng.random() < _FAILING:
            command, said = self._failing()
        elif room > 500 and rng.random() < 0.5:
            body = log.shelf.take(Style.PROSE, room - 140).decode("utf-8", "replace").replace('\\"', "'")
            command = f"git add -A && git commit -m \\\"$(cat <<'EOF'\\n{body}\\nEOF\\n)\\\""
            self._use(head, tail, b"Bash", b'"command":"%b"' % command.encode())
            self._shell_result(b"")
            return
        else:
            first = rng.choice((commands.piped, commands.piped, commands.look, commands.work))(rng)
            size = min(room - 60, rng.choice(_LENGTHS))
            command = first if "|" in first else commands.chain(rng, first, size)
        escaped = command.replace("\\", "\\\\").replace('"', '\\"').encode()
        about = log.shelf.take(Style.PROSE, room - len(escaped) - 34)
        self._use(head, tail, b"Bash", b'"command":"%b","description":"%b"' % (escaped, about))
        self._shell_result(said)

    def _failing(self) -> tuple[str, bytes]:
        """A command that fails, and what is said of it."""
        if self._rng.random() >= _KNOWN:
            return commands.work(self._rng), self._rng.choice(_FAILED)
        command, said, self._mended = mistake(self._rng)
        return command, said.encode() + b"\\n"

    def _shell_result(self, said: bytes) -> None:
        """The result of a command; one that failed says why."""
        self._log.truth.failures += bool(said)
        code = b"Exit code %d\\n%b" % (self._rng.choice((1, 2)), said) if said else b""
        if not code and self._rng.random() < _HIDDEN:
            code = self._rng.choice(_FAILED)
        self._result(code, Style.OUTPUT, b'{"stdout":"', b'","stderr":"","interrupted":false,"isImage":false}')

    def _read(self, head: bytes, tail: bytes, room: int) -> None:
        file = self._file(room - 40)
        self._use(head, tail, b"Read", b'"file_path":"%b","limit":%d' % (file, self._rng.randint(10, 900)))
        structured = b'{"type":"text","file":{"filePath":"%b","numLines":80,"startLine":1,"content":"' % file
        self._result(b"", Style.CODE, structured, b'"}}')

    def _search(self, head: bytes, tail: bytes, room: int) -> None:
        pattern = self._log.shelf.take(Style.PROSE, room - 60).replace(b"\\n", b" ").replace(b"\\", b"/")
        pattern = pattern.replace(b'"', b"'")
        self._use(head, tail, b"Grep", b'"pattern":"%b","output_mode":"content"' % pattern)
        self._result(b"", Style.OUTPUT, b'{"mode":"content","numFiles":3,"content":"', b'"}')

    def _edit(self, head: bytes, tail: bytes, room: int) -> None:
        file, shelf = self._file(60), self._log.shelf
        if self._rng.random() < _NEW_FILE:
            written = shelf.take(Style.CODE, room - len(file) - 30)
            self._use(head, tail, b"Write", b'"file_path":"%b","content":"%b"' % (file, written))
            self._result(b"File created successfully.", None, b'{"type":"create","content":"', b'"}')
            return
        start, half = shelf.start(Style.CODE), (room - len(file) - 70) // 2
        before, after = shelf.cut(Style.CODE, start, half), shelf.cut(Style.CODE, start, half - 12) + b"  # pruned"
        arguments = b'"replace_all":false,"file_path":"%b","old_string":"%b","new_string":"%b"' % (file, before, after)
        self._use(head, tail, b"Edit", arguments)
        if self._rng.random() < _FAILING:
            self._log.truth.failures += 1
            self._result(_NOT_FOUND, Style.CODE, b'"', b'"', is_error=True)
        else:
            structured = b'{"filePath":"%b","structuredPatch":[],"userModified":false,"originalFile":"' % file
            self._result(b"The file has been updated.", None, structured, b'"}')

    def _file(self, size: int) -> bytes:
        """A path of about this length."""
        found = f"{self._log.scene.cwd}/{path(self._rng)}"
        while len(found) < min(size, 400) - 30:
            found = f"{found.rpartition('/')[0]}/{path(self._rng)}"
        return found.encode()

    def _result(self, said: bytes, style: Style | None, before: bytes, after: bytes, *, is_error: bool = False) -> None:
        """The result of the open call. What the tool gave stands in it twice, or, without a style, beside it only."""
        is_error = is_error or said.startswith(b"Exit code")
        head = b'{%b,"type":"user","message":{"role":"user","content":[{"tool_use_id":"%b","type":"tool_result",' % (
            self._envelope(),
            self._call,
        )
        head += b'"is_error":%b,"content":"%b' % (b"true" if is_error else b"false", said)
        middle = b'"}]},"toolUseResult":' + before
        tail = after + b',"sourceToolAssistantUUID":"%b"}' % self._uuid
        room = self._result_size - len(head) - len(middle) - len(tail) - 1
        shelf = self._log.shelf
        text = shelf.take(style or Style.CODE, room // 2 if style else room)
        self._log.put(head + (text if style else b"") + middle, text, tail)

    def _subagent(self) -> None:
        """A subagent's message inside a progress record: a call, and in the next one its result."""
        log, rng = self._log, self._rng
        if not self._child or (not self._child_call and rng.random() < 0.04):
            self._child = token(rng, 7)
            log.truth.sessions += 1
        kind = b"user" if self._child_call else b"assistant"
        head = b'{%b,"type":"progress","data":{"type":"agent_progress","agentId":"%b","message":{"type":"%b",' % (
            self._envelope(),
            self._child,
            kind,
        )
        head += b'"uuid":"%b","timestamp":"%b","message":{"role":"%b","content":[' % (uuid4(rng), log.tick(), kind)
        tail = b']}},"normalizedMessages":[]},"parentToolUseID":"toolu_01%b"}' % token(rng, 22)
        if self._child_call:
            head += b'{"tool_use_id":"%b","type":"tool_result","content":"' % self._child_call
            self._child_call = b""
            log.fill("progress/agent_progress", head, b'"}' + tail, Style.OUTPUT)
        else:
            self._child_call = b"toolu_01" + token(rng, 22)
            log.truth.calls += 1
            head += b'{"type":"tool_use","id":"%b","name":"Read","input":{"file_path":"%b","prompt":"' % (
                self._child_call,
                self._file(60),
            )
            log.fill("progress/agent_progress", head, b'"}}' + tail, Style.PROSE)

    def _plain_units(self) -> dict[str, Callable[[str], None]]:
        """Records that stand alone: what comes before and after their text, and whether they have an envelope."""
        attached, hook = b'"type":"attachment","attachment":{"type":"', b'"type":"progress","data":{"type":"'
        session = b'","sessionId":"%b"}' % self._session
        return {
            "progress/hook_progress": self._within(
                hook + b'hook_progress","hookEvent":"PostToolUse","command":"', b'"}}'
            ),
            "progress/bash_progress": self._within(
                hook + b'bash_progress","elapsedTimeSeconds":3,"totalLines":40,"fullOutput":"', b'"}}', Style.OUTPUT
            ),
            "file-history-snapshot": self._bare(
                b'{"type":"file-history-snapshot","isSnapshotUpdate":false,"messageId":"', b'","snapshot":{}}'
            ),
            "permission-mode": self._bare(b'{"type":"permission-mode","permissionMode":"', session),
            "last-prompt": self._bare(b'{"type":"last-prompt","lastPrompt":"', session),
            "ai-title": self._bare(b'{"type":"ai-title","aiTitle":"', session),
            "mode": self._bare(b'{"type":"mode","mode":"', session),
            "bridge-session": self._bare(b'{"type":"bridge-session","bridgeSessionId":"', session),
            "queue-operation": self._bare(b'{"type":"queue-operation","operation":"remove","content":"', session),
            "pr-link": self._bare(b'{"type":"pr-link","prNumber":7,"prUrl":"https://git.example/', session),
            "attachment/task_reminder": self._within(attached + b'task_reminder","itemCount":4,"content":"', b'"}}'),
            "attachment/edited_text_file": self._within(
                attached + b'edited_text_file","filename":"src/row.py","snippet":"', b'"}}', Style.CODE
            ),
            "attachment/diagnostics": self._within(
                attached + b'diagnostics","files":[{"uri":"file:///src/row.py","diagnostics":[{"message":"', b'"}]}]}}'
            ),
            "attachment/hook_success": self._within(
                attached + b'hook_success","hookName":"SessionStart","exitCode":0,"stdout":"', b'"}}', Style.OUTPUT
            ),
            "attachment/deferred_tools_delta": self._within(attached + b'deferred_tools_delta","added":"', b'"}}'),
            "system/stop_hook_summary": self._within(
                b'"type":"system","subtype":"stop_hook_summary","hookCount":1,"stopReason":"', b'"}'
            ),
            "system/turn_duration": self._within(b'"type":"system","subtype":"turn_duration","note":"', b'"}'),
            "system/away_summary": self._within(b'"type":"system","subtype":"away_summary","content":"', b'"}'),
            RARE: self._within(attached + b'skill_listing","skillCount":9,"content":"', b'"}}'),
        }

    def _within(self, before: bytes, after: bytes, style: Style = Style.PROSE) -> Callable[[str], None]:
        return lambda kind: self._log.fill(kind, b"{%b,%b" % (self._envelope(), before), after, style)

    def _bare(self, before: bytes, after: bytes) -> Callable[[str], None]:
        return lambda kind: self._log.fill(kind, before, after, Style.PROSE)
