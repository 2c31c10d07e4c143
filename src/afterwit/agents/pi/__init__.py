"""pi.

Its extension: the exit code stands in the text.
"""

from afterwit.agents.hook_payloads import Moment, number_after, read_plugin_payload, write_plugin_answer

AGENT = {
    "name": "pi",
    "rank": 170,
    "reader": "pi.reader:PiReader",
    "transcripts": ("sessions/*/*.jsonl",),
    "homes": (".pi/agent",),
    "variables": (("PI_CODING_AGENT_DIR",),),
    "instructions": {"in_checkouts": ("AGENTS.md",), "in_homes": (".pi/agent/AGENTS.md",)},
    "skills": {"user": ".pi/agent/skills", "project": ".pi/skills", "variable": ("PI_CODING_AGENT_DIR", "skills")},
    "hooks": {
        "events": {
            "session_start": "start",
            "before_agent_start": "prompt",
            "tool_call": "before",
            "tool_result": "after",
            "session_shutdown": "end",
        },
        "carries": ("start", "prompt", "after"),
    },
    "connect": {"rank": 110, "program": "pi", "folders": (".pi/agent",)},
}

write = write_plugin_answer


def read(event: str, payload: dict[str, object]) -> Moment | None:
    moment = read_plugin_payload(event, payload)
    if moment.exit_code is None:
        moment.exit_code = number_after(moment.output[-200:], "Command exited with code")
    return moment
