"""What recurs in real histories: what several agents share comes first, and the same every time."""

import os
from pathlib import Path

import pytest
from tests.homes import world_of

from afterwit.extras.lab.patterns.detect import detect

pytestmark = pytest.mark.skipif(
    "AFTERWIT_CORPUS" not in os.environ, reason="AFTERWIT_CORPUS names no home folder with real transcripts"
)
_BOTH = {"claude-code", "codex"}


def test_what_two_agents_run_into_in_one_repository_comes_first(learned_corpus: Path) -> None:
    patterns = detect(world_of(learned_corpus, learned_corpus))

    crossing = [pattern.is_cross_agent for pattern in patterns]
    assert crossing == sorted(crossing, reverse=True)
    shared = [pattern for pattern in patterns if set(pattern.agents) >= _BOTH and len(pattern.repos) == 1]
    assert shared
    assert all({piece.agent for piece in pattern.evidence} >= _BOTH for pattern in shared)


def test_looking_again_finds_the_same(learned_corpus: Path) -> None:
    world = world_of(learned_corpus, learned_corpus)

    assert detect(world) == detect(world)
