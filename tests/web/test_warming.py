"""What is made ready before the first page is what pages use, and a store that is missing is left to them to say."""

import shutil

from tests.web.conftest import place_of

from afterwit.config.run_rules import redactor_for
from afterwit.config.world import World, redactor_of
from afterwit.web.warming import warm


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
