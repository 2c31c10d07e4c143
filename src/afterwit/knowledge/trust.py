"""Who may tell an agent what to do: authority follows where the words came from, never what they say.

Guidance are the words of a user, verified outcomes that repeat, and what a person decided. All else is an
observation: quoted data. Evidence from elsewhere neither raises nor lowers an item, so that nothing is laundered by
being merged. A quorum counts independent origins: a page read in five sessions is one, and so are five pages read in
one session. Two sessions that were told a fix and saw it work stand for one that found it; but none of them is the
first.
"""

from collections.abc import Collection, Iterable

from afterwit.knowledge.belief import is_test
from afterwit.model.knowledge import Authority, Channel, Evidence

TESTS = 2  # told sessions in which it worked that stand for one origin
REPEATED = 2  # origins that make a verified outcome a repeated one
_RANKS = {
    Channel.USER: 3,
    Channel.OUTCOME: 3,
    Channel.TOOL: 2,
    Channel.HOST: 2,
    Channel.ASSISTANT: 1,
}


def rank(channel: Channel) -> int:
    """How far words of a channel are trusted: 3 is the most."""
    return _RANKS.get(channel, 0)


def authority_of(
    channel: Channel,
    evidence: Iterable[Evidence],
    *,
    echoes: Collection[str] = (),
    is_decided: bool = False,
    is_tested: bool = False,
) -> Authority:
    """What an item may be worded as. `channel` is that of its words; `is_tested` as in `quorum`."""
    if is_decided:
        return Authority.GUIDANCE
    own = [piece for piece in evidence if piece.channel is channel]
    needed = {Channel.USER: 1, Channel.OUTCOME: REPEATED}.get(channel)
    if needed is not None and quorum(own, echoes=echoes, is_tested=is_tested) >= needed:
        return Authority.GUIDANCE
    return Authority.OBSERVATION


def quorum(evidence: Iterable[Evidence], *, echoes: Collection[str] = (), is_tested: bool = False) -> int:
    """Independent origins that speak for an item. What speaks against it is a matter of belief. `is_tested`: the item
    answers a failure, so that sessions that were told it put it to the test."""
    speaking = [piece for piece in evidence if not piece.is_against]
    own = [piece for piece in speaking if piece.session.story not in echoes]
    found = min(len({piece.origin for piece in own}), len({piece.session.story for piece in own}))
    told = {piece.session.story for piece in speaking if piece.session.story in echoes and is_test(piece)}
    return found + len(told) // TESTS if found and is_tested else found


def backing(channel: Channel, evidence: Iterable[Evidence]) -> list[Evidence]:
    """The evidence that may stand behind words of a channel: its own and what is trusted as far or farther."""
    return [piece for piece in evidence if rank(piece.channel) >= rank(channel)]
