"""A way to a model that is none, written by hand, and the run that calls it."""

import json
import threading
from collections.abc import Callable
from typing import Any

import msgspec
from tests.homes import NOW_MS, Silent

from afterwit.config.world import World
from afterwit.model.settings import ReadingSettings
from afterwit.reader.answers import GivenAnswer
from afterwit.reader.calling import CalledRun, CallingRules, call
from afterwit.reader.ledger import estimate
from afterwit.reader.plan import ReadingWish, plan
from afterwit.reader.requests import ANSWER_TOKENS, tokens
from afterwit.reader.ways.way import ModelQuestion

MODEL = "scripted:orchard-1"
Reply = Callable[[ModelQuestion], GivenAnswer]
NOTHING = json.dumps({"notes": []})


def empty(question: ModelQuestion) -> GivenAnswer:
    """Nothing to note, and it took all that was reserved."""
    return GivenAnswer(question.id, NOTHING, tokens(question.system) + tokens(question.text), ANSWER_TOKENS)


class ScriptedWay:
    """Answers what it is told to."""

    def __init__(self, reply: Reply = empty, most_at_once: int = 1) -> None:
        self.most_at_once = most_at_once
        self.overhead_tokens = 0
        self._reply = reply
        self._lock = threading.Lock()
        self.asked: list[ModelQuestion] = []

    def recipient(self) -> str:
        return "nobody, it is a script"

    def refusal(self) -> str:
        return ""

    def answer(self, question: ModelQuestion, seconds: float) -> GivenAnswer:
        assert seconds > 0
        with self._lock:
            self.asked.append(question)
        return self._reply(question)


class Clock:
    """A clock that goes on a second whenever somebody looks at it."""

    def __init__(self, now_ms: int = NOW_MS) -> None:
        self.now_ms = now_ms

    def __call__(self) -> int:
        self.now_ms += 1_000
        return self.now_ms


def capped(world: World, **caps: Any) -> World:
    reading = msgspec.structs.replace(ReadingSettings(), **caps)
    return world._replace(settings=msgspec.structs.replace(world.settings, reading=reading))


def called(world: World, way: ScriptedWay, *, model: str = MODEL, is_again: bool = False, **more: Any) -> CalledRun:
    """One run of everything that waits."""
    made = plan(world, ReadingWish(model=model, is_again=is_again), Silent())
    calls = CallingRules(way, Clock(world.now_ms), is_again=is_again, **more)
    return call(world, made, calls, Silent())


def costs(world: World, model: str = MODEL) -> list[int]:
    """What each request takes at most, in tokens, in the order in which they are asked."""
    from afterwit.model.prices import price_list

    made = plan(world, ReadingWish(model=model), Silent())
    every = [request for session in made.sessions for request in session.requests]
    return [estimate(request, model, price_list(), world.now_ms).tokens for request in every]
