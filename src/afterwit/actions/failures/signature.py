"""What makes two failures the same: the kind, the program and a template of the telling line.

Values of the moment are masked: paths, numbers, hashes, times, quoted text. What tells failures apart stays: error
codes, rule ids, the name of a wrong option, subcommand, field, script, module or program. Test failures of one runner
are one signature. The same on every machine, for every user and agent: own tools are named by what they do, wordings of
different systems are brought together, and of a redaction placeholder only the type is left.
"""

import re
from collections.abc import Iterable

from afterwit.actions.activities import is_checking
from afterwit.actions.failures import messages as says
from afterwit.actions.failures.excerpt import below_headlines
from afterwit.actions.failures.failure_class import classify
from afterwit.actions.shell.parse import parsed
from afterwit.actions.shell.tree import Command, CommandLine
from afterwit.model.kinds import ActionKind, FailureClass, Step
from afterwit.model.text import Phrases, regex

_LONGEST = 120
_LONGEST_READ = 2_000
_MOST_RULES = 3
_FRAME = regex(r"^(?:\[[\w:.-]{1,40}\]\s*|\d{4}[-/]\d\d[-/]\d\d[T ][\d:.,Z+-]{5,18}\s*|<\w+>\s*|[×✖✗✘⨯!]\s+)+")
_SHELL_PREFIX = regex(r"^(?:/\S*/)?(?:ba|z|da|k)?sh(?::\d+|: line \d+|: \d+)?: |^\(eval\):\d+: |^npm (?:error|ERR!) ")
_SEVERITY = regex(r"(?i)^(?:error|fatal|err|failed|failure|warning|runtime error|fatal error)\s*:\s+")
_PLACEHOLDER = regex(r"‹([a-z-]+)(?::[0-9a-f]+)?›")
_URL = regex(r"\b[a-z][a-z0-9+.-]{1,12}://[^\s'\"`)>\]]+")
_WINDOWS_PATH = regex(r"\b[A-Za-z]:\\[^\s:'\"`]+")
_PATH = regex(
    r"(?<![\w<])(?:~|\.{1,2})?(?:/[\w.@+,=\-\[\]()<>$%]+)+/?(?::\d+)*|(?<![\w<])[\w.@+-]+/[\w.@+,/\-]+(?::\d+)*"
)
_ENDINGS = (
    "pyi?|[cm]?[jt]sx?|jsonl?|ya?ml|toml|mdx?|txt|rst|html?|css|s[ac]ss|less|vue|svelte|go|mod|sum|rs|cc?|cpp|cxx|hh?|hpp|java"
    "|kts?|scala|groovy|gradle|rb|erb|php|p[lm]|lua|sh|bash|zsh|fish|ps1|bat|cmd|sql|db|sqlite3?|csv|tsv|xml|svg|png|jpe?g"
    "|gif|webp|pdf|ini|cfg|conf|env|lock|log|out|[oad]|so|dll|dylib|exe|jar|war|class|zip|tar|t?gz|bz2|xz|zst|swift|mm?"
    "|cs|csproj|sln|fs|exs?|erl|hs|ml|tex|bib|sty|ipynb|proto|graphql|prisma|tf|tfvars|hcl|nix|zig|dart|jl|patch|diff|tmp"
    "|bak|pem|key|crt|wasm|map|snap|mk|cmake|plist|tpl|tmpl|service|git|test"
)
_FILE = regex(
    r"(?<![\w<./-])(?<!from )(?<!import )(?<!module )(?<!package )"
    rf"[\w-][\w.-]*\.(?:{_ENDINGS})(?::\d+)*(?![\w(-])(?!\.\w)"
)
_HOST = regex(
    r"(?<![\w<./-])(?!java\.)(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|local|internal|cloud|ai)(?::\d+)*(?![\w(-])(?!\.\w)"
)
_SSH_HOST = regex(
    r"(?i)(?P<before>\b(?:resolve hostname|connect to host|known hosts for|authenticity of host"
    r"|connection (?:closed|reset|timed out) (?:by|with))) ['\"]?(?!remote host)[\w.@\[\]:-]*[\w\]]",
)
_VERSIONS = regex(r"\(from versions: (?!none\b)[^)\n]*\)?")
# The inner structure of a sandbox's refusal: its kinds tell, and what they hold is the command's output.
_DUMP = regex(
    r"\b(?P<what>\w+ failed)(?: for [^\n]{0,2000}?)?: CreateProcess "
    r"\{ message: [\\\"]*(?P<kinds>(?:\w+ ?[({][\\\" ]*)+)"
)
_HASH = regex(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b")
_TIMES = regex(r"\b\d+(?:\.\d+)?(?:ms|s|m|h)\b")
_GIT_OBJECT = regex(r"\b(?P<what>objects?|commits?|revisions?) [0-9a-f]{7,64}\b")
_HTTP_VERSION = regex(r"\bHTTP/\d(?:\.\d)?(?= \d{3}\b)")
_NUMBER = regex(
    r"(?P<status>\b(?:HTTP|status(?: code)?|returned error|ERROR)[ :=(]{1,3}[1-5]\d\d\b"
    r"|\b[45]\d\d (?=Not Found|Forbidden|Unauthorized|Unprocessable|Bad|Conflict|Gone|Too Many|Internal|Service"
    r"|Gateway))"
    r"|(?<![A-Za-z_<\d])\d+(?:[.,:]\d+)*"
)
_NAMED = regex(
    r"(?i)(?P<what>\b(?:option|flag|switch|subcommand|command|argument(?=:? ['\"`]?-)|shorthand|parameter|field|script"
    r"|task|module|package|skill|tool|target|executable|predicate|primary|JSON field|method|attribute|import)s?"
    r"(?: named)?:?)"
    r"\s{1,2}(?P<quote>['\"`]{0,1})(?P<name>(?:--?)?[\w@][\w.@/:-]{0,60})(?P=quote)(?=$|[\s,.:;)])",
)
# An apostrophe within a word neither opens nor closes.
_QUOTED = regex(r"(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){0,400}'|\"[^\"\n]{0,400}\"|`[^`\n]{0,400}`|“[^”\n]{0,400}”")
_NOT_FOUND = (
    regex(r"^(?P<name>[\w.@/+-]{1,60}): (?:command )?not found$"),
    regex(r"^command not found: (?P<name>[\w.@/+-]{1,60})$"),
)
_NO_MATCHES = regex(r"(?i)\bno matches found: .*")
_CANNOT_OPEN = regex(r"(?i)\b(?:can't|cannot|could not|failed to) (?:read|open|access|stat)(?: file)?:? ")
_OPERAND = regex(
    r"(?i)^[^:\n]{1,300}: (?:IO error for operation on [^:\n]{1,300}: )?"
    r"(?=(?:No such file or directory|Is a directory|Not a directory|Permission denied|File exists)\b)",
)
_OS_ERROR = regex(r"(?<!\s)\s*\(os error \d+\)")
_SAYS_USAGE = regex(r"(?m)^[^\S\n]*[Uu]sage: (?P<program>[\w.-]{1,40})")
_SELF = regex(r"(?s)^(?P<program>[\w.+-]{1,30}): (?!(?:command )?not found$)(?P<rest>.+)$")
_NUMBERED = regex(r"^(python|pip)\d[\d.]*$")
_WORD = regex(r"\w+")
_BLANKS = regex(r"\s+")
_ANSWERABLE = (FailureClass.INVOCATION, FailureClass.ENVIRONMENT, FailureClass.UNCLEAR)
_TELLING = {
    FailureClass.ENVIRONMENT: (says.BLOCKED, says.ENVIRONMENT),
    FailureClass.TRANSIENT: (says.TRANSIENT,),
    FailureClass.INVOCATION: (says.USAGE, says.PLACE),
}


def answerable_signature(step: Step) -> str:
    """The signature under which a fix is looked up, by recall, the backtest and hooks alike; "" where nothing is to be
    said about a failure: the work itself, what passes by itself or was denied, a wrong use of the agent's own tools,
    whose message says what to do."""
    line = step.target if step.kind is ActionKind.SHELL else ""
    failure = classify(step, line)
    return signature(step, failure, line) if failure in _ANSWERABLE else ""


def signature(step: Step, failure: FailureClass, command: str = "", rules: Iterable[str] = ()) -> str:
    """The signature of a failed step. `command` is the line behind it, `rules` the rule ids that its output reports."""
    if step.kind is not ActionKind.SHELL or failure is FailureClass.TOOL_CONTRACT:
        return f"{step.kind}: {template(_first_line(step.error))}"
    called, error = parsed(command or step.target), below_headlines(step.error)
    head, line = _head(called, error, _TELLING.get(failure, ()))
    if failure is FailureClass.TRANSIENT:
        head = head.partition(" ")[0]
    if failure is FailureClass.WORK:
        is_check = _checker(called) is not None
        return f"{head}: {_work(error, line, sorted(set(rules)), is_check=is_check)}"
    return f"{head}: {template(line)}"


def _work(error: str, line: str, rules: list[str], *, is_check: bool) -> str:
    """What is wrong with the code: the rules it breaks, its tests, else the line that says it."""
    if rules:
        return f"rules {' '.join(rules[:_MOST_RULES])}"
    is_tested = says.TESTS.are_in(error) or (is_check and says.TALLIES.are_in(error))
    if is_tested and not says.BUILD.are_in(line):
        return "tests fail"
    return "build fails" if "[build failed]" in line else template(line)


def _head(line: CommandLine, error: str, telling: tuple[Phrases, ...]) -> tuple[str, str]:
    """The program that failed, with its subcommand, and the telling line without the program's own name."""
    first = _find_line(error, telling)
    usage = _SAYS_USAGE.search(error)
    speaker = _SELF.match(first)
    for name in (speaker["program"] if speaker else "", usage["program"] if usage else ""):
        command = next((candidate for candidate in line.commands if name and candidate.program == name), None)
        if command is not None:
            rest = speaker["rest"] if speaker and speaker["program"] == name else first
            return _name(command), rest
    main = _checker(line) or line.main
    return (_name(main) if main else "shell"), first


def _checker(line: CommandLine) -> Command | None:
    """Of several commands, the one that reports on the code."""
    return next((command for command in line.commands if is_checking(command)), None)


def _name(command: Command) -> str:
    subcommand = command.subcommand if not re.search(r"[/.\d]", command.subcommand) else ""
    program = _NUMBERED.sub(r"\1", command.program)
    return f"{program} {subcommand}".strip()


def _find_line(error: str, telling: tuple[Phrases, ...]) -> str:
    """The first line that speaks of what the class is about."""
    lines = (line for form in telling for line in error.splitlines() if form.are_in(line))
    return _first_line(next(lines, error))


def _first_line(error: str) -> str:
    line = error.strip().partition("\n")[0]
    return _SHELL_PREFIX.sub("", _FRAME.sub("", line)).strip()


def template(line: str) -> str:
    """A line with the values of the moment masked. Of a long line the beginning is looked at."""
    line = _PLACEHOLDER.sub(r"<\1>", _SEVERITY.sub("", _FRAME.sub("", line[:_LONGEST_READ])))
    for form in _NOT_FOUND:
        match = form.match(line)
        if match:
            return f"command not found: {match['name']}"
    dump = _DUMP.search(line)
    if dump:
        return " ".join((f"{dump['what']}: CreateProcess", *_WORD.findall(dump["kinds"])))[:_LONGEST]
    line = _NO_MATCHES.sub("no matches found: <q>", _VERSIONS.sub("(from versions: <n>)", line))
    line = _OPERAND.sub("<path>: ", _CANNOT_OPEN.sub("", _OS_ERROR.sub("", line)))
    names = [match["name"] for match in _NAMED.finditer(line)]
    line = _NAMED.sub("\\g<what> \0", line)
    line = _QUOTED.sub("<q>", _HTTP_VERSION.sub("HTTP", _SSH_HOST.sub(r"\g<before> <host>", line)))
    line = _URL.sub("<url>", line)
    line = _WINDOWS_PATH.sub("<path>", line)
    line = _HOST.sub("<host>", _FILE.sub("<path>", _PATH.sub("<path>", line)))
    line = _HASH.sub("<hash>", _GIT_OBJECT.sub(r"\g<what> <hash>", line))
    line = _NUMBER.sub(lambda match: match["status"] or "<n>", _TIMES.sub("<n>", line))
    return _BLANKS.sub(" ", _restore(line, names)).strip()[:_LONGEST]


def _restore(line: str, names: list[str]) -> str:
    """Puts the names that tell failures apart back in, each for one mark."""
    kept = iter(names)
    return re.sub("\0", lambda _: next(kept, ""), line)
