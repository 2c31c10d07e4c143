"""oh-my-pi, a relative of pi, whose reader reads it."""

AGENT = {
    "name": "omp",
    "rank": 190,
    "reader": "pi.reader:OmpReader",
    "transcripts": ("sessions/*/*.jsonl",),
    "homes": (".omp/agent",),
}
