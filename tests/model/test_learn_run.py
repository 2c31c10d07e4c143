from afterwit.model.learn_run import AgentReport, Digested, Harvested, Report


def test_what_two_runs_did_adds_up_and_things_stand_as_the_later_found_them() -> None:
    first = Report(
        agents=[AgentReport(agent="codex", discovered=9, read=2, errors=["a"]), AgentReport(agent="pi", read=1)],
        sessions=5,
        digested=Digested(digested=2),
        harvested=Harvested(seen=5, items=7, active=3, gained=["one"]),
    )
    later = Report(
        agents=[AgentReport(agent="codex", discovered=1, read=1, failed=1, errors=["b"]), AgentReport(agent="qwen")],
        sessions=6,
        digested=Digested(digested=1),
        harvested=Harvested(seen=1, items=8, active=4, gained=["two"]),
    )
    both = first.followed_by(later)
    assert both.agents == [
        AgentReport(agent="codex", discovered=10, read=3, failed=1, errors=["a", "b"]),
        AgentReport(agent="pi", read=1),
        AgentReport(agent="qwen"),
    ]
    assert (both.sessions, both.digested.digested, both.has_failures) == (6, 3, True)
    assert (both.harvested.seen, both.harvested.items, both.harvested.active) == (6, 8, 4)
    assert sorted(both.harvested.gained) == ["one", "two"]
    assert [agent.read for agent in first.agents] == [2, 1]
