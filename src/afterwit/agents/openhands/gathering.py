"""Where OpenHands keeps its events: one file each, in a folder per conversation."""

from afterwit.sources.gathering import Gatherer
from afterwit.sources.trees import Files, Tree, TreeGatherer


def gatherers() -> tuple[Gatherer, ...]:
    events = Files("{session}/events/*.json")
    state = Files("{session}/base_state.json")
    return (
        TreeGatherer(Tree("sessions", (events,))),
        TreeGatherer(Tree("conversations", (events, state))),
    )
