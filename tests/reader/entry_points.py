"""A way to a model that another distribution brings, as a folder to put on the path of a process."""

from pathlib import Path

_WAY = """
import json
from pathlib import Path

from afterwit.reader.answers import GivenAnswer


class ToldWay:
    most_at_once = 2
    overhead_tokens = 0

    def __init__(self, model, surroundings):
        self._model = model
        self._environ = surroundings.environ
        self._folder = surroundings.folder

    def recipient(self):
        return "a script on this machine"

    def refusal(self):
        return "There is no orchard here. Plant one." if self._model == "gone" else ""

    def answer(self, question, seconds):
        if self._model == "failing":
            return GivenAnswer(question.id, fault="the orchard is closed")
        if self._model == "whole":  # it takes all that was reserved
            with open(self._environ["TOLD_LOG"], "a") as log:
                log.write(question.id + "\\n")
            sent = sum(-(-len(text) // 4) for text in (question.system, question.text))
            return GivenAnswer(question.id, json.dumps({"notes": []}), sent, 2_000)
        return GivenAnswer(question.id, json.dumps({"notes": []}), 100, 10)


def make(model, surroundings):
    return ToldWay(model, surroundings)
"""


def told_way(folder: Path) -> str:
    """Makes the folder; its way is called `told`."""
    about = folder / "told_way-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "told_way.py").write_text(_WAY)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: told-way\nVersion: 1.0\n")
    points = "[afterwit.reading_ways]\ntold = told_way:make\nbroken = told_way:nothing\n"
    (about / "entry_points.txt").write_text(points)
    return str(folder)
