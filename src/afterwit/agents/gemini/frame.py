"""The frame that Gemini CLI and Qwen Code put around what a command printed.

Command and folder before it, in older versions; exit code, signal and process group behind it; newer versions mark the
whole as untrusted. Imports nothing: hooks take it off too.
"""

_WRAPPER = ("<untrusted_context>\n", "\n</untrusted_context>")
_COMMAND, _FOLDER = "Command: ", "\nDirectory: "
_OUTPUTS = ("Output: ", "Stdout: ")
_LABELS = frozenset({"Error", "Stderr", "Exit Code", "Signal", "Background PIDs", "Process Group PGID"})
_NONE = frozenset({"(none)", "(empty)", ""})
_LONGEST_CODE = 11


def unframed(text: str) -> tuple[str, int | None]:
    """What a command printed, and its exit code where the frame states it. Other texts come back as they are."""
    body = _unwrapped(text)
    printed = _behind_head(body)
    if printed is None:
        return body, None
    rest, labels = _without_labels(body)
    errors = [f"{name}: {labels[name]}" for name in ("Stderr", "Error") if labels.get(name, "") not in _NONE]
    printed = rest[len(body) - len(printed) :]
    return "\n".join(errors if printed in _NONE else [printed, *errors]), _code(labels.get("Exit Code", ""))


def _unwrapped(text: str) -> str:
    stripped, (opening, closing) = text.strip(), _WRAPPER
    if stripped.startswith(opening) and stripped.endswith(closing):
        return stripped[len(opening) : -len(closing)]
    return text


def _behind_head(body: str) -> str | None:
    """What follows the name of the output; None where it is not there."""
    if body.startswith(_COMMAND):
        _, mark, rest = body.partition(_FOLDER)
        body = rest.partition("\n")[2] if mark else ""
    return next((body[len(name) :] for name in _OUTPUTS if body.startswith(name)), None)


def _without_labels(body: str) -> tuple[str, dict[str, str]]:
    """The lines of the frame behind the output, each at most once, and what is left before them."""
    labels: dict[str, str] = {}
    while True:
        before, _, last = body.rpartition("\n")
        name, _, value = last.partition(": ")
        if name not in _LABELS or name in labels:
            return body, labels
        body, labels[name] = before, value.strip()


def _code(text: str) -> int | None:
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(text) <= _LONGEST_CODE else None
