"""Private keys as diffs, listings, logs and code show them: every line behind a prefix, whole or in pieces."""

import base64
import random
from collections.abc import Callable

import pytest
from tests.every import for_every

from afterwit.redaction.redaction import Redactor

_PREFIXES: dict[str, Callable[[int, str], str]] = {
    "nothing": lambda _, line: line,
    "added in a diff": lambda _, line: f"+{line}",
    "removed in a diff": lambda _, line: f"-{line}",
    "grep -n": lambda number, line: f"{number}:{line}",
    "grep -n in files": lambda number, line: f"certs/key.pem:{number}:{line}",
    "around a hit of grep": lambda number, line: f"certs/key.pem-{number}-{line}",
    "cat -n": lambda number, line: f"{number:6d}\t{line}",
    "cat -A": lambda _, line: f"{line}$",
    "cat -A with Windows line ends": lambda _, line: f"{line}^M$",
    "timestamp": lambda number, line: f"2026-05-01T10:00:{number:02d}.123Z {line}",
    "docker compose": lambda _, line: f"web-1  | {line}",
    "quoted": lambda _, line: f'    "{line}\\n"',
    "joined": lambda _, line: f"  '{line}' +",
    "comment": lambda _, line: f"// {line}",
    "blame": lambda number, line: f"1a2b3c4d (Mira Lund 2026-05-01 10:00:00 +0200 {number}) {line}",
}
_KINDS = {
    "RSA PRIVATE KEY": (bytes.fromhex("308204a40201000282010100"), 600, 64),
    "EC PRIVATE KEY": (bytes.fromhex("30770201010420"), 121, 64),
    "OPENSSH PRIVATE KEY": (b"openssh-key-v1\0\0\0\0\4none", 400, 70),
}


def _pem(label: str, begin: bytes, size: int, width: int) -> list[str]:
    body = base64.b64encode(begin + random.Random(label).randbytes(size - len(begin))).decode()
    return [
        f"-----BEGIN {label}-----",
        *(body[at : at + width] for at in range(0, len(body), width)),
        f"-----END {label}-----",
    ]


@pytest.mark.parametrize(
    "part", [slice(None), slice(None, -1), slice(1, None), slice(1, -1)], ids=["whole", "head", "tail", "middle"]
)
@for_every("kind", _KINDS)
@for_every("prefix", _PREFIXES)
def test_no_line_of_a_private_key_survives_behind_a_prefix(
    prefix: str, kind: str, part: slice, redactor: Redactor
) -> None:
    lines = _pem(kind, *_KINDS[kind])[part]
    text = "\n".join(_PREFIXES[prefix](number, line) for number, line in enumerate(lines, 1))
    redacted = redactor.text(f"output:\n{text}\nthe end\n")
    assert not [line for line in lines if "-----" not in line and line in redacted]
    assert redacted.startswith("output:\n")
    assert redacted.endswith("\nthe end\n")
    assert redactor.text(redacted) == redacted


@for_every("kind", _KINDS)
@for_every("prefix", ["nothing", "added in a diff", "quoted"])
@pytest.mark.parametrize("width", [64, 76])
def test_a_key_survives_not_in_wrapped_base64_of_it(prefix: str, kind: str, width: int, redactor: Redactor) -> None:
    encoded = base64.b64encode("\n".join(_pem(kind, *_KINDS[kind])).encode()).decode()
    lines = [encoded[at : at + width] for at in range(0, len(encoded), width)]
    for some in (lines, lines[1:-1]):
        text = "\n".join(_PREFIXES[prefix](number, line) for number, line in enumerate(some, 1))
        redacted = redactor.text(f"data:\n{text}\nend\n")
        assert not [line for line in some if len(line) > 24 and line in redacted]


@pytest.mark.parametrize("label", ["CERTIFICATE", "PUBLIC KEY", "PGP SIGNATURE"])
@for_every("prefix", _PREFIXES)
def test_what_a_label_calls_public_stays(prefix: str, label: str, redactor: Redactor) -> None:
    lines = _pem(label, b'0\x82\1"0\r', 300, 64)
    for some in (lines, lines[:-1], lines[1:]):
        text = "\n".join(_PREFIXES[prefix](number, line) for number, line in enumerate(some, 1))
        assert redactor.text(text) == text


def test_lists_of_checksums_and_of_long_paths_stay(redactor: Redactor) -> None:
    drawn = random.Random(7)
    sums = "\n".join(f"{drawn.randbytes(32).hex()}  file{number}.txt" for number in range(4))
    hashes = "\n".join(f'"sha384-{base64.b64encode(drawn.randbytes(48)).decode()}",' for _ in range(4))
    paths = "\n".join(f"apps/web/src/components/settings/{name}/panels/advanced/Index:1" for name in ("keys", "mail"))
    for text in (sums, hashes, paths):
        assert redactor.text(text) == text
