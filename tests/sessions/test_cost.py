"""Pricing sums: exact where a price is known, silent where none is."""

import datetime as dt
from pathlib import Path

from tests.homes import CODEX, ORCHARD, THREAD, codex_records, learned, lines, put, world_of

from afterwit.model.prices import Price, Prices
from afterwit.sessions.cost import By, CostReport, Spending, cost, cost_of
from afterwit.sessions.filters import Filter
from afterwit.store.rows.session_list import SpendSum

PRICES = Prices({"model-a": Price(1.0, 2.0)})


def row(model: str = "model-a", stated: float | None = None, tokens: int = 1_000_000, responses: int = 2) -> SpendSum:
    return SpendSum(1, "codex", "one", "", model, 0, tokens, responses, tokens, 0, 0, tokens, 0, stated)


def spending(*rows: SpendSum) -> Spending:
    found = Spending()
    for one in rows:
        found.add(one, cost_of(one, PRICES))
    return found


def test_a_known_model_has_its_price() -> None:
    assert spending(row()).cost_usd == 3.0


def test_an_unknown_model_is_unpriced() -> None:
    found = spending(row("model-z"))
    assert (found.cost_usd, found.unpriced, found.is_partial) == (None, 2, False)


def test_some_unknown_models_make_the_cost_a_lower_bound() -> None:
    found = spending(row(), row("model-z"))
    assert (found.cost_usd, found.unpriced, found.is_partial) == (3.0, 2, True)


def test_what_the_log_states_goes_before_the_list() -> None:
    assert spending(row(stated=0.5)).cost_usd == 0.5
    assert spending(row("model-z", stated=0.5)).cost_usd == 0.5


def test_what_the_log_states_to_have_cost_nothing_has_no_price() -> None:
    assert spending(row(stated=0.0)).cost_usd == 0.0


def test_responses_without_tokens_need_no_price() -> None:
    assert spending(row("<synthetic>", tokens=0)).cost_usd == 0.0


def test_nothing_spent_costs_nothing_known() -> None:
    assert Spending().cost_usd is None


def claude_line(uuid: str, message: dict[str, object], **fields: object) -> dict[str, object]:
    shared = {"uuid": uuid, "sessionId": "s1", "timestamp": "2026-05-01T10:00:00Z", "cwd": ORCHARD}
    return {"type": "assistant", **shared, "message": {"role": "assistant", **message}, **fields}


def response(name: str, hour: int) -> dict[str, object]:
    written = {"ephemeral_5m_input_tokens": 1_000_000 - hour, "ephemeral_1h_input_tokens": hour}
    usage = {"input_tokens": 0, "cache_creation_input_tokens": 1_000_000, "cache_creation": written, "output_tokens": 0}
    text = [{"type": "text", "text": "Done."}]
    return {"id": name, "model": "claude-opus-4-8", "content": text, "usage": usage}


def report_of(tmp_path: Path, *records: dict[str, object]) -> CostReport:
    log = tmp_path / "home" / ".claude" / "projects" / "p" / "s1.jsonl"
    log.parent.mkdir(parents=True)
    log.write_bytes(lines(records))
    learned(tmp_path / "home", tmp_path / "store")
    return cost(world_of(tmp_path / "home", tmp_path / "store"), Filter(), (By.MODEL,))


def test_cache_writes_of_an_hour_and_of_five_minutes_are_priced_apart(tmp_path: Path) -> None:
    report = report_of(tmp_path, claude_line("a1", response("msg_1", 0)), claude_line("a2", response("msg_2", 400_000)))
    assert (report.total.cache_write, report.total.cache_write_1h) == (2_000_000, 400_000)
    assert report.total.cost_usd == 1.6 * 6.25 + 0.4 * 10
    assert report.nested.responses == 0


def test_subagents_inside_their_parents_log_are_summed_apart_once(tmp_path: Path) -> None:
    inner = {"type": "assistant", "uuid": "n1", "message": {"role": "assistant", **response("msg_n", 1_000_000)}}
    data = {"type": "agent_progress", "agentId": "a77", "message": inner}
    copies = [claude_line(f"p{place}", {}, type="progress", data=data) for place in range(2)]
    report = report_of(tmp_path, claude_line("a1", response("msg_1", 0)), *copies)
    assert (report.total.responses, report.total.cost_usd) == (2, 16.25)
    assert (report.nested.responses, report.nested.cost_usd) == (1, 10.0)


def test_days_weeks_and_months_are_those_of_the_zone(tmp_path: Path) -> None:
    records = codex_records(THREAD, 2)
    spends = [record for record in records if record["payload"].get("type") == "token_count"]
    spends[0]["timestamp"], spends[1]["timestamp"] = "2026-05-31T21:50:00.000Z", "2026-05-31T22:10:00.000Z"
    put(tmp_path / "home" / CODEX / f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl", records)
    learned(tmp_path / "home", tmp_path / "store")
    world = world_of(tmp_path / "home", tmp_path / "store")

    def keys(by: By, hours: int) -> list[str]:
        zone = dt.timezone(dt.timedelta(hours=hours))
        return [line.key[0] for line in cost(world._replace(zone=zone), Filter(), (by,)).lines]

    assert (keys(By.DAY, 0), keys(By.DAY, 2)) == (["2026-05-31"], ["2026-05-31", "2026-06-01"])
    assert (keys(By.WEEK, 0), keys(By.WEEK, 2)) == (["2026-W22"], ["2026-W22", "2026-W23"])
    assert (keys(By.MONTH, 0), keys(By.MONTH, 2)) == (["2026-05"], ["2026-05", "2026-06"])
