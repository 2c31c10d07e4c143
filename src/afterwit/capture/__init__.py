"""From readings to rows: which repository, which user, which action, at what price. Pure."""

from afterwit.model.prices import Price, Prices, price_list
from afterwit.repos.folders import root_name, root_of, user_of
from afterwit.repos.identity import How, Resolution, Sighting, Spot, domain_of, resolve
from afterwit.repos.remotes import canonical_remote

__all__ = [
    "How",
    "Price",
    "Prices",
    "Resolution",
    "Sighting",
    "Spot",
    "canonical_remote",
    "domain_of",
    "price_list",
    "resolve",
    "root_name",
    "root_of",
    "user_of",
]
