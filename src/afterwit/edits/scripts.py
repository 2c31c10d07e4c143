"""Plugins and extensions that an agent loads as code: our text with our command written into it."""

import json
from importlib import resources

from afterwit.edits.edits import Surroundings
from afterwit.edits.hooks import BEFORE, Reach
from afterwit.edits.ours import hook_words


def script(package: str, name: str, reach: Reach, at: Surroundings) -> str:
    """The file `name` of an agent's package, complete. It gets the words of the hook's command; those for the moment
    before an action are empty where nothing is to be done there."""
    allowed = reach.narrowed(at)
    *words, _ = hook_words(allowed, reach.agent, "start")
    is_used = BEFORE in reach.used(at).values()
    before = list(hook_words(allowed, reach.agent, BEFORE)) if is_used else []
    text = resources.files(package).joinpath(name).read_text(encoding="utf-8")
    return text.replace("__HOOK__", json.dumps(words)).replace("__BEFORE__", json.dumps(before))
