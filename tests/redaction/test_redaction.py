"""Nothing planted survives, nothing benign changes, and redaction behaves the same whatever the text."""

import base64
import json
import os
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.every import for_every
from tests.redaction.templates import SHOWN
from tests.thoroughness import examples

from afterwit.redaction.markers import PLACEHOLDER, unkeyed
from afterwit.redaction.people import People
from afterwit.redaction.redaction import Redactor
from afterwit.redaction.ruleset import Judge, RedactionRule, rules

Fill = Callable[[str], tuple[str, list[str]]]
_REDACTOR = Redactor(b"a key for tests")
_PLANTED = [rule for rule in rules() if rule.judge is Judge.FORMAT and not rule.is_about_people]
_CHANNELS = {
    "prompt": "please use {} for the deployment, thanks",
    "command": "export X=1 && tool run '{}' --verbose",
    "output": "line one\nok {}\nline three\n",
    "file": "     1\tfirst\n     2\t{}\n     3\tlast",
    "diff": "@@ -1,2 +1,2 @@\n-old\n+{}\n",
    "escaped": 'said "\\n{}\\n" twice',
    "commit": "fix: rotate credentials\n\nwas: {}\n",
    "markdown": "| name | value |\n|---|---|\n| a | `{}` |",
    "quoted": '["{}"]',
}


def _secret(template: str, fill: Fill) -> tuple[str, str]:
    text, values = fill(template)
    return text, max(values, key=len)


@pytest.mark.parametrize("channel", _CHANNELS)
@for_every("rule", _PLANTED)
def test_a_known_format_survives_in_no_channel(
    rule: RedactionRule, channel: str, fill: Fill, redactor: Redactor
) -> None:
    for template in SHOWN[rule.id]["examples"]:
        text, secret = _secret(template, fill)
        assert secret not in redactor.text(_CHANNELS[channel].format(text))


@for_every("rule", _PLANTED)
def test_a_known_format_survives_in_no_json_value(rule: RedactionRule, fill: Fill, redactor: Redactor) -> None:
    for template in SHOWN[rule.id]["examples"]:
        text, secret = _secret(template, fill)
        nested = {"content": [{"input": {"command": text}}, json.dumps({"inner": text})], text: 1}
        assert secret not in json.dumps(redactor.value(nested))


@pytest.mark.parametrize(
    "template",
    [
        "ghp_{an:36}",
        "sk-ant-api03-{an:93}AA",
        "glpat-{an:20}",
        "AKIA{upper:16}",
        "AIza{an:35}",
        "npm_{an:36}",
        "xoxb-{dig:12}-{an:24}",
    ],
)
@pytest.mark.parametrize(
    "place",
    ["https://x.example/a?key={}&b=1", "/srv/data/{}/file.txt", "images/{}.png", "https://x:{}@host.example/r.git"],
)
def test_a_token_survives_in_no_url_and_no_path(template: str, place: str, fill: Fill, redactor: Redactor) -> None:
    text = fill(template)[0]
    assert text not in redactor.path(place.format(text))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("password", "hunter2"),
        ("api_key", "a8cdef1294567390"),
        ("DB_PASSWORD", "swordfish"),
        ("clientSecret", "zq81-kd77-mm"),
        ("HEROKU_API_KEY", "1a2b3c4d-1111-2222-3333-444455556666"),
        ("passphrase", "correct horse battery staple"),
        ("Authorization", "Bearer zq81kd77mm55aa22bb33"),
    ],
)
def test_the_key_of_an_object_tells_that_its_value_is_secret(name: str, value: str, redactor: Redactor) -> None:
    redacted = redactor.value({"env": [{name: value}]})
    assert list(redacted["env"][0]) == [name]
    assert value.rsplit(maxsplit=1)[-1] not in redacted["env"][0][name]
    assert PLACEHOLDER.search(redacted["env"][0][name])


@pytest.mark.parametrize(
    "value",
    [
        {"max_tokens": 4096, "token_count": "12345", "password": None},
        {"token": "string", "secret": "", "key": "ArrowDown", "sessionId": "1a2b3c4d-1111-2222-3333-444455556666"},
        {"tool_use_id": "toolu_01AbCdEfGhJkMnPqRsTuVwXy", "call_id": "call_Zk3mQ9xT7bN2vR5wY8pL1cD4"},
        {"id": "msg_01XyZaBcDeFgHjKmNpQrStUv", "requestId": "req_011CTabcDEFghiJKLmnoPQRs"},
        {"type": "reasoning", "id": "rs_0a1b2c3d4e5f60718293a4b5c6d7e8f9"},
        [1, 2.5, True, None, {"a": []}],
    ],
)
def test_benign_values_stay_as_they_are(value: object, redactor: Redactor) -> None:
    assert redactor.value(value) == value


@pytest.mark.parametrize(
    "text",
    [
        "commit 749b51fe14257b12f913e003bb75221868fb8cd0",
        "749b51fe1 fix the parser",
        "1a2b3c4d-1111-4222-8333-444455556666",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        '"integrity": "sha512-1q2w3e4r5t6y7u8i9o0pASDFGHJKLZXCVBNM1q2w3e4r5t6y7u8i9o0pASDFGHJKLZXCVBNMqwertyuiopQWE=="',
        "const tokenCount = countTokens(text); let maxTokens = 4096",
        "max_tokens=4096, token_count: 17, tokens_per_second = 12.5",
        "password: string; apiKey?: string; token: Token | null",
        "api_key = os.environ['API_KEY'] or process.env.API_KEY or ${SECRET}",
        "token=<your-token> password=xxxx secret=REDACTED key=********",
        "toolu_01AbCdEfGhJkMnPqRsTuVwXy call_Zk3mQ9xT7bN2vR5wY8pL1cD4 msg_01XyZaBcDeFgHjKmNpQrStUv",
        "src/auth/token_refresh_handler_test.go:128:14: undefined: newTokenSource",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
        "git@github.com:o/r.git noreply@anthropic.com http://127.0.0.1:8080 0.0.0.0 ::1",
        "/home/runner/work/x /home/user/y /Users/runner/z C:\\Users\\runneradmin",
        "def password_reset(token: str, *, password: str = None) -> None:",
        "if (secret === undefined) throw new Error('secret is required')",
        "Authorization: Bearer ${token}",
        "task-runner disk-usage risk-averse sk-learn",
    ],
)
def test_benign_text_stays_as_it_is(text: str, redactor: Redactor) -> None:
    assert redactor.text(text) == text


@pytest.mark.parametrize(
    "secret", ["password=hunter2 and more", "see ghp_{an:36} here", "postgres://demo:zq81kdx@db.example/app"]
)
def test_one_level_of_encoding_hides_nothing(secret: str, fill: Fill, redactor: Redactor) -> None:
    plain = fill(secret)[0]
    blobs = [base64.b64encode(b"x" * lead + plain.encode()).decode() for lead in range(3)]
    blobs += [base64.urlsafe_b64encode(plain.encode()).decode(), plain.encode().hex(), plain.encode().hex().upper()]
    blobs.append("".join(f"%{byte:02X}" for byte in plain.encode()))
    for blob in blobs:
        assert blob not in redactor.text(f"value: {blob} end")


def test_the_name_stays_and_only_the_value_goes(redactor: Redactor) -> None:
    assert unkeyed(redactor.text("DB_PASSWORD=hunter2 next")) == "DB_PASSWORD=‹password› next"
    assert (
        unkeyed(redactor.text("postgres://demo:zq81kdx@db.internal/app"))
        == "postgres://demo:‹postgres-password›@db.internal/app"
    )


def test_equal_secrets_stay_equal_and_another_key_gives_another_suffix() -> None:
    one, other = Redactor(b"one"), Redactor(b"other")
    twice = one.text("password=hunter2 password=hunter2 password=hunter3").split()
    assert twice[0] == twice[1] != twice[2]
    assert one.text("password=hunter2") != other.text("password=hunter2")
    assert unkeyed(one.text("password=hunter2")) == unkeyed(other.text("password=hunter2"))


def test_exact_strings_of_people_become_pseudonyms() -> None:
    redactor = Redactor(
        b"k", People(users=("mlund",), hosts=("birch-7",), names=("Mira Lund",), emails=("mira@example.com",))
    )
    text = redactor.text("mlund@birch-7: Mira Lund <mira@example.com> in /home/mlund/x, but smlunds stays")
    assert unkeyed(text) == "‹user›@‹host›: ‹name› <‹email›> in /home/‹user›/x, but smlunds stays"
    assert text.split("@", maxsplit=1)[0] in text.split("/home/")[1]
    assert unkeyed(redactor.value({"owner": "mlund"})["owner"]) == "‹user›"


def test_deep_values_are_walked_without_recursion(redactor: Redactor) -> None:
    value: object = "password=hunter2"
    for _ in range(20_000):
        value = [value]
    redacted = redactor.value(value)
    for _ in range(20_000):
        redacted = redacted[0]
    assert unkeyed(redacted) == "password=‹password›"


def test_strange_text_does_not_raise(redactor: Redactor) -> None:
    for text in (
        "",
        "\x00" * 50,
        "\ud800 password=\udfff1secret \ud800",
        "‹" * 100,
        "=" * 100_000,
        "a@" * 50_000,
        "-----BEGIN" * 5000,
    ):
        assert isinstance(redactor.text(text), str)


_PARTS = """
password= hunter2 " /home/mira/ /Users/x ‹ › ‹email:ab12cd› mira@fjordpost.se :// : @ token: Bearer sk- ghp_ AKIA = - <
a1B2c3D4e5F6g7H8i9J0k1L2 84.17.45.12 %3D é 𝒳 \\n secret key Author: -----BEGIN ---- PRIVATE KEY----- >
"""
_PIECES = st.sampled_from([*_PARTS.split(), " ", "\n", "-----BEGIN PRIVATE KEY-----"])


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(_PIECES | st.text(max_size=8), max_size=14).map("".join))
@example("/Users/x0/home/mira/")
def test_redacting_twice_equals_redacting_once(text: str) -> None:
    once = _REDACTOR.text(text)
    assert _REDACTOR.text(once) == once


@settings(max_examples=examples(60), deadline=None)
@given(st.text(st.characters(), max_size=300))
def test_any_text_can_be_redacted(text: str) -> None:
    assert isinstance(_REDACTOR.text(text), str)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.lists(_PIECES, max_size=6).map("".join), max_size=6))
def test_a_string_is_redacted_alike_whatever_stands_beside_it(texts: list[str]) -> None:
    assert _REDACTOR.value(texts) == [Redactor.text(_REDACTOR, text) for text in texts]


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.lists(_PIECES, max_size=60).map("".join), max_size=6))
def test_many_texts_are_redacted_as_each_of_them_alone(texts: list[str]) -> None:
    assert Redactor(b"a key for tests").texts([*texts, *texts]) == [_REDACTOR.text(text) for text in (*texts, *texts)]


def test_a_value_that_the_user_allows_stays_if_the_pattern_fits_all_of_it() -> None:
    redact = Redactor(b"a key for tests", allow=("heron-[0-9]+",)).text
    assert redact("password = heron-12345678901") == "password = heron-12345678901"
    assert "heron" not in redact("password = heron-12345678901x")


@pytest.mark.skipif(
    "AFTERWIT_CORPUS" not in os.environ, reason="AFTERWIT_CORPUS names no home folder with real transcripts"
)
def test_real_transcripts_change_in_few_places() -> None:
    from bench.redaction import measure

    figures = measure(Path(os.environ["AFTERWIT_CORPUS"]))
    changed = sum(count for kind, count in figures.places.items() if kind != "user")
    assert changed <= 10 * figures.text_bytes / 1e6


@pytest.mark.parametrize("form", [msgspec.json, msgspec.msgpack])
def test_what_a_reader_keeps_loses_secrets_and_keeps_folders_else(form: Any, fill: Fill, redactor: Redactor) -> None:
    plain = form.encode({"cwd": "/home/mira/x", "number": 3})
    token = fill("ghp_{an:36}")[0]
    kept = form.decode(redactor.state(form.encode({"model": f"gpt-{token}", "number": 3})))
    assert redactor.state(plain) == plain
    assert redactor.state(b"") == b""
    assert kept["number"] == 3
    assert token not in kept["model"]


@pytest.mark.parametrize("text", ['"token": "{}"', "password={}", "Bearer {}"])
@pytest.mark.parametrize("escape", ["\\u{:04x}", "\\x{:02x}", "&#{};"])
def test_an_escaped_mark_hides_no_secret(text: str, escape: str, fill: Fill, redactor: Redactor) -> None:
    value = fill("{an:24}")[0]
    written = "".join(escape.format(ord(mark)) if mark in "\"'=: " else mark for mark in text).format(value)
    redacted = redactor.text(written)
    assert value not in redacted
    assert redactor.text(redacted) == redacted


@pytest.mark.parametrize("escape", ["&#00;", "&#0;", "\\u0000", "\\x00", "&#999999;", "&#x0;"])
def test_an_escape_of_no_character_stops_nobody(escape: str, redactor: Redactor) -> None:
    text = f"<p>&quot;x&quot; {escape} token: &quot;y&quot;</p>"
    assert redactor.text(text) == text


TOKEN = "ghp" + "_" + "q7Rk2ZsV9xLm4TnB8wYc1JdF6hGp3KaE5uXi"


@pytest.mark.parametrize("cuts", [(8,), (20,), (5, 9, 13, 30), (12, 12)])
def test_a_secret_in_pieces_stands_where_it_begins(redactor: Redactor, cuts: tuple[int, ...]) -> None:
    text = f"use {TOKEN} for ä, and go on"
    pieces = [text[start:end] for start, end in pairwise((0, *cuts, len(text)))]
    safe = redactor.pieces(pieces)
    assert len(safe) == len(pieces)
    assert "".join(safe) == redactor.text(text)
    assert "‹" in safe[0] + safe[1]
    assert "ghp_" not in "".join(safe)


def test_a_name_and_its_value_in_two_pieces_belong_together(redactor: Redactor) -> None:
    assert redactor.pieces(["password: ", "hunter2 is it"])[1].endswith("› is it")


def test_pieces_without_a_secret_stay_as_they_are(redactor: Redactor) -> None:
    assert redactor.pieces(["one ", "", "two ä", "\ud800 three"]) == ["one ", "", "two ä", "\ud800 three"]
