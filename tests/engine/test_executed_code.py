"""Sessions of Hermes that work in executed code: what happens in it is shown, found, judged and learned from."""

from pathlib import Path

import pytest
from tests.engine.hermes_sessions import Coded, Message, Ran, Said, Step, messages, put_database, put_lines
from tests.homes import Silent, learned, put, rows, world_of

from afterwit.extras.lab.sample.sample import SampleRequest, sample
from afterwit.extras.lab.templates.create import create
from afterwit.recall.recall import recalled
from afterwit.sessions.filters import Filter
from afterwit.sessions.search import best_hits

API = "https://forge.example/api/v1/repos/grove/the-nexus/pulls"
REFUSAL = '405 {"message": "not allowed to merge [reason: branch protection]"}'
TOKEN = "~/.config/forge/merge-token"
FAILED = 'Traceback (most recent call last):\n  File "<string>", line 4, in <module>\n'


def merge(number: int, token: str) -> str:
    return (
        "import os, requests\n"
        f"token = {token}\n"
        f'answer = requests.post("{API}/{number}/merge",\n'
        '    headers={"Authorization": f"token {token}"}, json={"Do": "merge"})\n'
        "print(answer.status_code, answer.text)"
    )


def story(day: int) -> list[Message]:
    number = 12 + 7 * day
    mine, theirs = 'os.environ["FORGE_TOKEN"]', f'open(os.path.expanduser("{TOKEN}")).read().strip()'
    refused = Coded(merge(number, mine), REFUSAL)
    if day % 3 == 1:
        refused = Coded(
            merge(number, mine), error=FAILED + "urllib.error.HTTPError: HTTP Error 405: Method Not Allowed"
        )
    steps: list[Step] = [
        refused,
        Said("The main branch has branch protection."),
        Coded(merge(number, theirs), "200 {}"),
    ]
    words = ("Merge pull request {}", "Bring PR {} in, it is green", "land {} please", "finish number {}")
    return messages(words[day % len(words)].format(number), steps, day)


@pytest.fixture(scope="module", params=[put_lines, put_database], ids=["logs", "database"])
def home(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("hermes")
    request.param(place / "home", [story(day) for day in range(9)])
    learned(place / "home", place / "store")
    return place


def test_nine_sessions_of_executed_code_teach(home: Path) -> None:
    told = recalled(world_of(home / "home", home / "store"), home, "the-nexus", "hermes", "", None).start.text
    assert "HTTP 405 at `python3 …/merge` here means branch protection" in told
    assert f"it worked with the token in `{TOKEN}`" in told


def test_executed_code_is_shown_and_judged(home: Path) -> None:
    steps = rows(home / "store", "SELECT tool, kind, target, status, lean FROM actions")
    assert {row[:2] for row in steps} == {("execute_code", "shell")}
    assert all("requests.post" in row[2] for row in steps)
    assert sorted({row[3:] for row in steps}, key=str) == [
        ("failed", None),
        ("succeeded", None),
        ("unknown", "probably-failed"),
    ]


def test_executed_code_is_found_by_search(home: Path) -> None:
    hits = best_hits(world_of(home / "home", home / "store"), "expanduser", Filter(), "", 20, 80).hits
    assert len({hit.session for hit in hits}) == 9


def test_a_repository_that_only_an_address_in_code_names_is_found_by_a_sample(home: Path) -> None:
    wanted = SampleRequest(filter=Filter(repos=("the-nexus",)))
    assert len(sample(world_of(home / "home", home / "store"), wanted, Silent()).sessions) == 9


def test_a_session_of_executed_code_makes_a_template(tmp_path: Path) -> None:
    look = Coded(f'import requests\nprint(requests.get("{API}/12/files").json())', '[{"filename": "press.py"}]')
    kept = f'open(os.path.expanduser("{TOKEN}")).read().strip()'
    steps: list[Step] = [look, Coded(merge(12, kept), "200 {}"), Ran("git -C ~/the-nexus pull", "press.py | 2 +-")]
    put_lines(tmp_path / "home", [messages("Merge pull request 12", steps, 0)])
    learned(tmp_path / "home", tmp_path / "store")
    ((native_id,),) = rows(tmp_path / "store", "SELECT native_id FROM sessions")
    template = create(world_of(tmp_path / "home", tmp_path / "store"), native_id).template
    assert [example.tool for example in template.examples] == ["execute_code", "execute_code", "terminal"]


def test_a_log_without_a_time_stamp_in_its_name_is_read(tmp_path: Path) -> None:
    put(tmp_path / "home" / ".hermes" / "sessions" / "telegram-7.jsonl", messages("Mow", [Ran("mow", "mown")], 0))
    report = learned(tmp_path / "home", tmp_path / "store")
    assert [agent.no_reader for agent in report.agents if agent.agent == "hermes"] == [0]
    assert rows(tmp_path / "store", "SELECT native_id, actions FROM sessions") == [("telegram-7", 1)]
