"""Whether a line is one from which a template was made: told without the patterns that make templates.

Follows the template from left to right. Its own words must stand in the line; for a masked quotation, path or number a
plain one must. A line that is doubtful does not fit, so that whoever asks has to ask exactly: a test compares with
`actions.failures.signature.template`.
"""

from afterwit.actions.shell.program_table import names

_VALUE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-")
_DIGITS = frozenset("0123456789")
_QUOTES = "'\"`"
_LONGEST_VALUE = 60
_LONGEST_NUMBER = 6  # a longer one may be the name of a commit
_STATUS = 3  # digits of a number that may be a status, which tells
_LONGEST_TEMPLATE = 120  # a longer one was cut
_NOT_FOUND = ("not found", "command not found")
_SEVERITIES = ("error", "fatal", "err", "failed", "failure", "warning", "runtime error", "fatal error")
_ABOUT_PLACES = (
    *(": no such file or directory", ": is a directory", ": not a directory", ": permission denied", ": file exists"),
)
_NOUNS = names(
    "option flag switch subcommand command argument shorthand parameter field script task module package skill tool"
    " target executable predicate primary method attribute import"
)
_ENDS = ("", ",", ".", ":", ";", ")")
_UNDONE = ("CreateProcess", "\\", "://", "HTTP", "(os error", "<", ">")


def fits(template: str, said: str) -> bool:
    """Whether the template is that of these words, beyond doubt."""
    message = without_severity(said)
    missing = missing_program(message)
    if missing:
        return template == f"command not found: {missing}"
    if len(template) >= _LONGEST_TEMPLATE or message[:1] in "[<!" or any(each in message for each in _UNDONE):
        return False
    return _follows(template, _with_bare_names(message))


def without_severity(said: str) -> str:
    """What is said after `error: `."""
    severity, colon, rest = said.partition(": ")
    return rest if colon and severity.lower() in _SEVERITIES else said


def missing_program(said: str) -> str:
    """The name in `x: command not found` and `command not found: x`; else ""."""
    name, colon, rest = said.partition(": ")
    if colon and rest in _NOT_FOUND:
        return name if _is_value(name) else ""
    return rest if name == _NOT_FOUND[1] and _is_value(rest) else ""


def _is_value(text: str) -> bool:
    return bool(text) and len(text) <= _LONGEST_VALUE and _VALUE.issuperset(text)


def _follows(template: str, message: str) -> bool:
    at, rest = 0, template
    while rest:
        literal, opening, after = rest.partition("<")
        mask, _, rest = after.partition(">")
        if not message.startswith(literal, at):
            return False
        at += len(literal)
        if opening:
            is_operand = at == 0 and rest.lower().startswith(_ABOUT_PLACES)
            end = 0 if _is_named(message[:at]) else _value_end(message, at, mask, is_operand=is_operand)
            if not end:
                return False
            at = end
    return at == len(message)


def _value_end(message: str, at: int, mask: str, *, is_operand: bool) -> int:
    """Where the value ends that stands for a mask; 0 where there is none of its kind. None begins within a word."""
    if message[max(0, at - 1) : at].isalnum() or message[max(0, at - 1) : at] == "_":
        return 0
    if mask == "q":
        return _quoted_end(message, at)
    letters = _DIGITS if mask == "n" else _VALUE
    end = at
    while end < len(message) and message[end] in letters:
        end += 1
    value = message[at:end]
    if mask == "n":
        is_whole = message[end : end + 1] not in (".", ",", ":") and not message[end : end + 1].isalpha()
        return end if 0 < len(value) <= _LONGEST_NUMBER and len(value) != _STATUS and is_whole else 0
    is_path = mask == "path" and value.strip("./-") != "" and "//" not in value and value[-1] != "."
    return end if is_path and (is_operand or "/" in value.strip("/")) else 0


def _quoted_end(message: str, at: int) -> int:
    quote = message[at : at + 1]
    if not quote or quote not in _QUOTES:
        return 0
    value, closing, after = message[at + 1 :].partition(quote)
    is_quoted = bool(closing) and _is_value(value) and not after[:1].isalnum()
    return at + len(value) + 2 if is_quoted else 0


def _with_bare_names(message: str) -> str:
    """Templates keep the name after such a noun, without its quotes."""
    words = message.split(" ")
    for at in range(1, len(words)):
        word = words[at]
        if word[:1] and word[0] in _QUOTES and _is_named(f"{' '.join(words[max(0, at - 2) : at])} "):
            name, quote, rest = word[1:].partition(word[0])
            if quote and _is_value(name) and name[0] not in "./" and rest[:1] in _ENDS:
                words[at] = name + rest
    return " ".join(words)


def _is_named(before: str) -> bool:
    """Whether a text ends with a noun after which names are kept: `option `, `task named: `."""
    words = before.removesuffix(" ").removesuffix(":").lower().split(" ")
    noun = words[-2] if words[-1] == "named" and len(words) > 1 else words[-1]
    start = len(noun)
    while start and noun[start - 1].isalpha():
        start -= 1
    return before.endswith(" ") and (noun[start:] in _NOUNS or noun[start:].removesuffix("s") in _NOUNS)
