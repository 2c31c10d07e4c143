"""`report_item`: whether a note helped or was wrong."""

from collections.abc import Mapping
from typing import Any

from afterwit.curation.lessons import report
from afterwit.guard.shown import Shown, joined, ours, stamp
from afterwit.mcp.tool import Caller, Tool, choice
from afterwit.mcp.tools.explain_item import ITEM
from afterwit.mcp.tools.record_lesson import teller_of

_HELPFUL, _WRONG = "helpful", "wrong"


def report_item(caller: Caller, arguments: Mapping[str, Any]) -> Shown:
    is_helpful = arguments["verdict"] == _HELPFUL
    item = report(caller.world, teller_of(caller), arguments["item"], is_helpful=is_helpful)
    verdict = ours(_HELPFUL if is_helpful else _WRONG)
    return joined(
        (ours("Noted that "), stamp(item.id), ours(" was "), verdict, ours(". `afterwit learn` takes it in."))
    )


TOOL = Tool(
    name="report_item",
    title="Report a note as helpful or wrong",
    description=(
        "Say whether a note from `recall` helped or turned out to be wrong, after you have seen it yourself. Wrong"
        " notes lose belief and go away."
    ),
    properties={"item": ITEM, "verdict": choice("What you saw.", (_HELPFUL, _WRONG))},
    needed=("item", "verdict"),
    run=report_item,
    changes=True,
)
