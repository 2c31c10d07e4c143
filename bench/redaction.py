"""Speed and side effects of redaction over the transcripts of a home folder.

Run as `python -m bench.redaction HOME [--samples N]`. Prints MB of decoded text per second of CPU beside one
`orjson.loads` per line in the same run, and how many places were replaced per MB, by type. With `--samples` it shows
some of the places with the text around them, to look for false alarms.
"""

import argparse
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from afterwit.redaction.redaction import Redactor

_LOGS = (".claude/projects/**/*.jsonl", ".codex/sessions/**/*.jsonl", ".gemini/**/*.jsonl", ".copilot/**/*.jsonl")
_PLACE = re.compile(r"‹([a-z][a-z0-9-]*):[0-9a-f]{6}›")
_AROUND = 60


def logs(home: Path) -> Iterator[list[bytes]]:
    """The lines of every log."""
    for pattern in _LOGS:
        for path in sorted(home.glob(pattern)):
            yield path.read_bytes().splitlines()


def decoded(lines: list[bytes]) -> list[Any]:
    """The records of one log; a line that is no JSON is left out."""
    records = []
    for line in lines:
        try:
            records.append(orjson.loads(line))
        except orjson.JSONDecodeError:
            continue
    return records


def strings(value: Any) -> Iterator[str]:
    """Every string in decoded JSON, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


class Figures:
    """What one run found."""

    def __init__(self, samples: int) -> None:
        self.loads_s = 0.0
        self.redact_s = 0.0
        self.text_bytes = 0
        self.count = 0
        self.places: Counter[str] = Counter()
        self._wanted = samples
        self._samples: dict[str, set[tuple[str, str]]] = defaultdict(set)

    def note(self, before: str, after: str) -> None:
        known = Counter(match[0] for match in _PLACE.finditer(before))
        for match in _PLACE.finditer(after):
            if known[match[0]] > 0:
                known[match[0]] -= 1
                continue
            self.places[match[1]] += 1
            if self._wanted and len(self._samples[match[1]]) < 20 * self._wanted:
                around = after[max(0, match.start() - _AROUND) : match.end() + _AROUND // 2]
                self._samples[match[1]].add((match[0], around))

    def summary(self) -> dict[str, float]:
        """The figures that have goals."""
        size_mb = self.text_bytes / 1e6
        counted = sum(count for kind, count in self.places.items() if kind != "user")
        return {
            "text_mb": size_mb,
            "orjson_s": self.loads_s,
            "redaction_s": self.redact_s,
            "redaction_of_orjson": self.redact_s / self.loads_s,
            "mb_per_s": size_mb / self.redact_s,
            "places_per_mb": counted / size_mb,
        }

    def report(self) -> None:
        size_mb = self.text_bytes / 1e6
        print(f"orjson.loads   {self.loads_s:7.2f} s")
        print(f"redaction      {self.redact_s:7.2f} s  {self.redact_s / self.loads_s:.2f} x loads")
        print(f"text           {size_mb:7.1f} MB in {self.count} strings  {size_mb / self.redact_s:.0f} MB/s per core")
        counted = sum(count for kind, count in self.places.items() if kind != "user")
        print(f"places         {counted / size_mb:7.2f} per MB without home folders")
        for kind, count in self.places.most_common():
            print(f"  {kind:24s} {count:6d}  {count / size_mb:7.3f} per MB")
        for kind, found in sorted(self._samples.items()):
            for _, around in random.Random(1).sample(sorted(found), min(self._wanted, len(found))):
                print(f"{kind}: {around!r}")


def measure(home: Path, samples: int = 0) -> Figures:
    """One pass over the logs: decode, redact, compare."""
    figures = Figures(samples)
    redact = Redactor(b"bench").text
    for lines in logs(home):
        started = time.process_time()
        records = decoded(lines)
        figures.loads_s += time.process_time() - started
        texts = list(strings(records))
        started = time.process_time()
        results = [redact(text) for text in texts]
        figures.redact_s += time.process_time() - started
        figures.count += len(texts)
        figures.text_bytes += sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
        for text, result in zip(texts, results, strict=True):
            if text is not result and text != result:
                figures.note(text, result)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed and side effects of redaction.")
    parser.add_argument("home", type=Path, help="a home folder with agents' logs")
    parser.add_argument("--samples", type=int, default=0, help="show this many places of each type")
    arguments = parser.parse_args()
    measure(arguments.home, arguments.samples).report()


if __name__ == "__main__":
    main()
