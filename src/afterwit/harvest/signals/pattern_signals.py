"""Looks at one digest for signals of patterns, as harvesters look for what they conclude from."""

from collections.abc import Iterator
from itertools import chain

from afterwit.harvest.harvester import Grouped
from afterwit.harvest.signals.habits import habits
from afterwit.harvest.signals.mishaps import mishaps
from afterwit.harvest.signals.signal import Signal, summed
from afterwit.model.digest import Digest


class PatternSignals:
    name = "pattern-signals"
    version = 4

    def see(self, digest: Digest) -> Iterator[Grouped[Signal]]:
        for subject, signal in summed(digest, chain(mishaps(digest), habits(digest))).items():
            if not any("\n" in name for name in subject.names):  # which would be read as two names
                yield Grouped(str(subject), signal)
