"""Where items are found as resources."""

from collections.abc import Mapping
from typing import Any

PREFIX = "afterwit://item/"
TEMPLATE: Mapping[str, Any] = {
    "uriTemplate": f"{PREFIX}{{id}}",
    "name": "item",
    "title": "A note from past sessions",
    "description": "What a note says and what stands behind it.",
    "mimeType": "text/plain",
}
