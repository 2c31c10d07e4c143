"""Hermes, the agent of Nous Research.

Its plugin: a result is a text of JSON, with the exit code in it. Its own review turns are no prompts.
"""

from afterwit.agents.hook_payloads import Moment, read_plugin_payload, text_at, write_plugin_answer
from afterwit.model.quick_json import loads

AGENT = {
    "name": "hermes",
    "rank": 50,
    "reader": "hermes.reader:HermesReader",
    "gatherers": "hermes.reader:gatherers",
    "transcripts": ("**/state.db/*.jsonl", "**/sessions/*.jsonl", "**/sessions/session_*.json"),
    "homes": (".hermes",),
    "windows_homes": ("AppData/Local/hermes",),
    "variables": (("HERMES_HOME",),),
    "tools": {"shell": ("process", "execute_code")},
    "own_tools": ("terminal", "process", "execute_code", "write_file", "patch"),
    "instructions": {"in_homes": (".hermes/memories/*.md",)},
    "skills": {"user": ".hermes/skills", "variable": ("HERMES_HOME", "skills")},
    "hooks": {
        "events": {
            "pre_llm_call": "prompt",
            "on_session_start": "start",
            "pre_tool_call": "before",
            "transform_tool_result": "after",
            "on_session_end": "end",
        },
        "carries": ("start", "prompt", "after"),
    },
    "connect": {"rank": 100, "program": "hermes", "folders": (".hermes",)},
}
_REVIEW = "Review the conversation above"

write = write_plugin_answer


def read(event: str, payload: dict[str, object]) -> Moment | None:
    moment = read_plugin_payload(event, payload)
    if moment.prompt.startswith(_REVIEW):
        return None
    if moment.output.lstrip().startswith("{"):
        _take_apart(moment)
    return moment


def _take_apart(moment: Moment) -> None:
    try:
        result = loads(moment.output)
    except (ValueError, RecursionError):
        return
    if not isinstance(result, dict):
        return
    code = result.get("exit_code", result.get("returncode"))
    if moment.exit_code is None and isinstance(code, int):
        moment.exit_code = code
    error = text_at(result, "error")
    moment.output = "\n".join(filter(None, (text_at(result, "output", "stdout"), error)))
    moment.is_error = bool(error) or bool(moment.exit_code)
