"""Hermes, the agent of Nous Research."""

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
    "instructions": {
        "in_homes": (".hermes/memories/*.md",),
    },
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
    "connect": {
        "rank": 100,
        "program": "hermes",
        "folders": (".hermes",),
    },
}
