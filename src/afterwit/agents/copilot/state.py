"""What the reading of one Copilot session remembers between two appends.

Ids and sums only. A call is asked for, allowed or refused, started and ended by four records; what the earlier ones say
is kept until the later ones come, and bounded, because some never do.
"""

import msgspec

from afterwit.agents.copilot.spending import Ledger
from afterwit.agents.memory import Memory

_KEPT = 64


class State(Memory):
    model: str = ""
    ledger: Ledger = msgspec.field(default_factory=Ledger)
    asked: list[str] = msgspec.field(
        default_factory=list
    )  # calls that a message asked for, before their start is written
    denied: list[str] = msgspec.field(
        default_factory=list
    )  # calls that somebody or a rule said no to, before their end is written

    def ask(self, call: str) -> None:
        self.asked = [*self.asked[-_KEPT:], call]

    def was_asked(self, call: str) -> bool:
        if call not in self.asked:
            return False
        self.asked.remove(call)
        return True

    def deny(self, call: str) -> None:
        self.denied = [*self.denied[-_KEPT:], call]

    def was_denied(self, call: str) -> bool:
        if call not in self.denied:
            return False
        self.denied.remove(call)
        return True
