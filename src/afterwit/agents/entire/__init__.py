"""Entire, which keeps the sessions of other agents in git repositories."""

AGENT = {
    "name": "entire",
    "rank": 310,
    "reader": "entire.reader:EntireReader",
    "gatherers": "entire.reader:gatherers",
    "transcripts": ("**/*.git/*@*.jsonl", "**/*.git/*@*.json"),
}
