"""What a message in the name of Cursor's user says: a person's words between tags, and what was injected around."""

from collections.abc import Iterator

from afterwit.agents.blocks import inside_tags, without_tags
from afterwit.agents.places import Place
from afterwit.model.kinds import EventKind
from afterwit.model.readings import Event

_QUERY = "user_query"


def spoken(text: str, place: Place, *, is_delegated: bool = False) -> Iterator[Event]:
    """The events of such a message. Without tags it is a person's, unless it begins like something injected."""
    human = inside_tags(text, _QUERY)
    around = without_tags(text, _QUERY)[0] if human else text
    if not human and not around.lstrip().startswith("<"):
        human, around = around, ""
    if around.strip():
        yield place.said(EventKind.NOTICE, around)
    if human.strip():
        yield place.said(EventKind.NOTICE if is_delegated else EventKind.PROMPT, human)
