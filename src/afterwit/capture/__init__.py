"""From readings to rows: which repository, which user, which action, at what price. Pure."""

from afterwit.capture.folders import root_name, root_of, user_of
from afterwit.capture.prices import Price, Prices, price_list
from afterwit.capture.remotes import canonical_remote
from afterwit.capture.repo import How, Resolution, Sighting, Spot, domain_of, resolve

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
