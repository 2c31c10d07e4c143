"""What the client itself said or put into the context: attachments, system records, failed requests.

Texts are shortened here: a notice is context, and the original keeps the rest.
"""

from typing import Any

from afterwit.agents.claude_code.content import text_of_anything
from afterwit.agents.claude_code.records import Attachment, Line

_NOTICE_CHARS = 8_000
_DIAGNOSTICS = 50


def attachment_text(attachment: Attachment) -> str:
    if attachment.type == "diagnostics":
        return _diagnostics(attachment.files)
    head = attachment.filename or attachment.path or ""
    body = (
        text_of_anything(attachment.content)
        or attachment.snippet
        or text_of_anything(attachment.prompt)
        or text_of_anything(attachment.blocking_error)
        or attachment.stdout
        or attachment.stderr
        or attachment.condition
        or ""
    )
    return shortened("\n".join(text for text in (head, body) if text))


def loaded_file(attachment: Attachment) -> tuple[str, str] | None:
    """An instruction file that the client loaded because work came to it: path and whole text."""
    text = text_of_anything(attachment.content) if attachment.type == "nested_memory" else ""
    return (attachment.path, text) if attachment.path and text else None


def system_text(line: Line) -> str:
    """What a system record says, or "" if it says nothing."""
    told = (line.content, line.hook_errors, line.hook_additional_context)
    return shortened("\n".join(text for value in told if (text := text_of_anything(value))))


def error_text(error: Any) -> str:
    """The telling part of a failed request: status, type, message. Headers and ids stay out."""
    status, kind, message = "", "", ""
    for _ in range(4):
        if not isinstance(error, dict):
            break
        status = status or text_of_scalar(error.get("status"))
        message = text_of_scalar(error.get("message")) or message
        kind = text_of_scalar(error.get("type")) or kind
        error = error.get("error") or error.get("cause")
    said = ": ".join(text for text in (kind, message or text_of_scalar(error)) if text)
    return shortened(" ".join(text for text in (status, said) if text))


def text_of_scalar(value: Any) -> str:
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""


def shortened(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _NOTICE_CHARS else text[:_NOTICE_CHARS]


def _diagnostics(files: Any) -> str:
    found = []
    for file in files if isinstance(files, list) else []:
        if isinstance(file, dict):
            uri, entries = text_of_scalar(file.get("uri")), file.get("diagnostics")
            entries = entries if isinstance(entries, list) else []
            found += [f"{uri}: {_diagnostic(entry)}" for entry in entries if isinstance(entry, dict)]
    return shortened("\n".join(found[:_DIAGNOSTICS]))


def _diagnostic(entry: dict[str, Any]) -> str:
    told = (text_of_scalar(entry.get(key)) for key in ("severity", "code", "message"))
    return " ".join(text for text in told if text)
