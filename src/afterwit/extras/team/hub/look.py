"""`afterwit store hub status` and `search`: what a team has on its hub, in sums, and notes and tasks by their words."""

import msgspec

from afterwit.extras.team.hub import rows
from afterwit.extras.team.hub.address import HubAddress
from afterwit.extras.team.hub.connection import join_hub
from afterwit.extras.team.hub.rows import HubHit, HubRepo, MemberSum
from afterwit.extras.team.hub.schema import newest
from afterwit.extras.team.records import one_line

_SHOWN = 400


class HubStatus(msgspec.Struct, frozen=True, kw_only=True):
    hub: str
    schema: int
    team: str
    name: str  # of who asks
    is_read_only: bool
    repos: list[HubRepo]
    members: list[MemberSum]


def status(address: HubAddress) -> HubStatus:
    with join_hub(address) as hub:
        return HubStatus(
            hub=hub.id[:8],
            schema=newest(),
            team=hub.team,
            name=hub.name,
            is_read_only=hub.is_read_only,
            repos=rows.repo_counts(hub.db, hub.team),
            members=rows.member_sums(hub.db, hub.team),
        )


def search(address: HubAddress, words: str, limit: int | None) -> list[HubHit]:
    """What fits all of the words, the best first."""
    with join_hub(address) as hub:
        hits = rows.search(hub.db, hub.team, words, limit)
    return [msgspec.structs.replace(hit, text=one_line(hit.text, _SHOWN)) for hit in hits]
