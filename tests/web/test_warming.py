"""What is made ready before the first page is what pages use, and a store that is missing is left to them to say."""

import shutil
import threading

import pytest
from tests.web.conftest import place_of

from afterwit.config.run_rules import redactor_for
from afterwit.config.world import World, redactor_of
from afterwit.web import serve
from afterwit.web.serve import warm


def test_the_rules_of_redaction_are_ready_for_the_first_page(world: World) -> None:
    redactor_for.cache_clear()
    warm(place_of(world))
    made = redactor_for.cache_info().misses
    redactor_of(world)
    assert (made, redactor_for.cache_info().misses) == (1, 1)


def test_a_store_that_is_missing_is_left_to_the_pages(world: World) -> None:
    shutil.rmtree(world.layout.root)
    warm(place_of(world))
    assert not world.layout.root.exists()


def test_a_page_that_ends_at_once_does_not_end_beside_its_own_thread(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()

    def slow(_: object) -> None:
        threading.Event().wait(0.3)
        ended.set()

    monkeypatch.setattr(serve, "warm", slow)
    serve.serve(place_of(world), 0, lambda *_: None, idle_seconds=0)
    assert ended.is_set()
