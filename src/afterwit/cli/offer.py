"""The way in to reading: what a model could do here, offered once `learn` has read, and a model that is set is tried.

Nothing is sent before a person says so. Whoever says *never* is not asked again (`reading.offer`).
"""

import sys

from afterwit.agents.registry import agents_with
from afterwit.cli.reading_calls import read_with
from afterwit.cli.terminal.options import Here
from afterwit.cli.terminal.output import read_key, talk
from afterwit.cli.terminal.progress import bar
from afterwit.config.set import ConfigTarget, set_value
from afterwit.model.figures import human_count, human_dollars, human_tokens
from afterwit.reader.calling import surroundings_of, way_to
from afterwit.reader.plan import ReadingWish, plan
from afterwit.reader.ways.way import ModelQuestion, usable_ways

_CHECK_SECONDS = 60.0
_QUESTION = ModelQuestion("check", "Answer with the one word yes.", "Can you read this?", {}, 16)


def offer_reading(here: Here) -> None:
    """Says what reading would bring and take by a model that can be called from here, and asks: yes, later, never."""
    settings = here.world.settings.reading
    if settings.model is not None or not settings.offer or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return
    ways = usable_ways(surroundings_of(here.world))
    if not ways:
        return
    name, way = next(iter(ways.items()))
    wish = ReadingWish(model=name, overhead_tokens=way.overhead_tokens)
    with bar("looking what could be read", "sessions") as progress:
        made = plan(here.world, wish, progress)
    if not made.sessions:
        return
    read, written = (
        sum(estimated.tokens_in for estimated in made.estimates),
        sum(estimated.tokens_out for estimated in made.estimates),
    )
    price = f", at most {human_dollars(made.cost_usd)} by list price" if made.cost_usd is not None else ""
    talk(
        f"\n{name} can read {human_count(len(made.sessions), 'session')} of {made.waiting:,} here and write the page"
        f" that later ones begin with: about {human_tokens(read)} tokens in, at most"
        f" {human_tokens(written)} out{price}."
        f" It sends to {way.recipient()}; nothing is sent before you say so."
    )
    talk("Let it read? y yes, l later, n never")
    key = read_key()
    if key == "y":
        set_value(_target(here), "reading.model", name)
        read_with(here, wish, way, is_agreed=True, is_json=False)
    elif key == "n":
        set_value(_target(here), "reading.offer", "false")
        talk("It is not offered again. `afterwit read --plan` shows it whenever you like.")


def check_model(here: Here, model: str) -> str:
    """Asks a model that was set one tiny question; what is wrong with it, or ""."""
    way = way_to(model, here.world)
    if way is None:
        return ""
    if refusal := way.refusal():
        return refusal
    talk(f"Asking {model} one small question, to see whether it answers …")
    return way.answer(_QUESTION, _CHECK_SECONDS).fault


def _target(here: Here) -> ConfigTarget:
    agents = [agent.name for agent in agents_with(here.world.declared)]
    return ConfigTarget(here.configured.place.config, here.world.user_home, agents)
