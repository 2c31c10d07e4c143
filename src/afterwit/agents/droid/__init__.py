"""Droid, Factory's client."""

AGENT = {
    "name": "droid",
    "rank": 210,
    "reader": "droid.reader:DroidReader",
    "transcripts": ("sessions/*.jsonl", "sessions/*/*.jsonl"),
    "homes": (".factory",),
    "variables": (("FACTORY_DIR",),),
    "tools": {"shell": ("execute",), "plan": ("ExitSpecMode",)},
}
