"""What a command line can do that only a person may advise: reach hosts, bring in code, check less, take more rights.

An agent can be talked into a command, and that it then worked says nothing against it. So advice is judged by what it
makes possible, not by who ran it how often. `power_of` judges a line as it stands, `power_gained` what one line can do
that another cannot. Harmless is what is known to be so in its kind: runners that bring in nothing, flags that are not
of a family that lowers a guard, other subcommands, paths inside the repository. Everything else is powerful. The answer
is a few words for people; "" where a line is ordinary.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from afterwit.actions.command_changes import Change
from afterwit.actions.programs import MODULE_RUNNERS, names
from afterwit.actions.shell_tree import Command
from afterwit.actions.steps import parsed
from afterwit.guard.plain_names import reads_like_a_sentence
from afterwit.harvest.purposes import KNOWN_PROGRAMS
from afterwit.harvest.wording import quoted

HOST, PACKAGE, CHECKS, RIGHTS = "a new host", "code from elsewhere", "fewer checks", "more rights"
SCRIPT, ELSEWHERE, OTHER = "a script of its own", "something outside the repository", "another program"


class Power(NamedTuple):
    """One thing that a line can do, and the words that say it."""

    kind: str
    what: str


_RIGHTS = names(
    "sudo doas su pkexec runas chmod chown chgrp setfacl chattr setcap usermod useradd visudo passwd ssh-add ssh-keygen"
    " gpg security keychain pass op vault doppler infisical aws-vault xattr spctl csrutil setenforce iptables ufw mount"
    " umount nsenter chroot launchctl systemctl crontab at"
)
_REACHING = names("ssh scp sftp rsync curl wget nc ncat telnet ftp socat mosh http https xh aria2c")
_SCRIPTED = names("eval source . exec trap alias crontab")
_INTERPRETERS = names("sh bash zsh dash ksh fish python python3 perl ruby node bun deno php lua osascript iex pwsh tclsh awk")
_INLINE = names("-c -e --eval -p --print -E -r")
_SANDBOXES = names("firejail bwrap sandbox-exec nsjail unshare docker podman systemd-run chronic")
_FETCHING = names("npx bunx pnpx uvx")
_FETCHING_LONG = ("bun x", "npm exec", "pnpm dlx", "yarn dlx", "uv tool run", "pipx run")
_WRAPPERS = names(
    "timeout gtimeout time nice ionice nohup setsid stdbuf unbuffer chronic caffeinate arch winpty flock xvfb-run command"
    " builtin noglob nocorrect env cross-env coproc xargs"
)
_RUNNERS = (
    "uv run", "poetry run", "pipenv run", "pdm run", "rye run", "pixi run", "hatch run", "conda run", "micromamba run",
    "bundle exec", "direnv exec", "mise exec", "mise x", "pnpm exec", "yarn exec", "dotenv run",
)  # fmt: skip
_KNOWN = KNOWN_PROGRAMS | MODULE_RUNNERS | names(
    "cat od xxd hexdump head tail less more wc sort uniq cut tr sed awk grep egrep rg ag ack find fd ls tree stat file"
    " diff cmp jq yq printf echo test true pwd cd which type date basename dirname realpath readlink touch mkdir cp mv ln"
    " tar unzip gunzip git gh glab docker-compose docker podman compose kubectl helm terraform go cargo rustc rustup npm"
    " pnpm yarn bun deno node python python2 python3 pip pip3 uv poetry pdm pipenv ruby bundle rake gem java javac mvn"
    " mvnw gradle gradlew php composer dotnet swift mix elixir erl make gmake cmake ninja just task mise asdf tox nox"
    " psql sqlite3 mysql redis-cli protoc buf sqlc tsx ts-node tsc uvicorn gunicorn gofmt claude codex gemini open xdg-open"
)
_INSTALLS = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun"), names("install i add ci link up update upgrade create init dlx x")),
    **dict.fromkeys(("pip", "pip3", "pipx", "gem", "brew", "apt", "apt-get", "dnf", "yum", "conda", "mamba", "snap",
                     "flatpak", "choco", "winget", "scoop", "port", "nix-env", "pacman", "apk"),
                    names("install add inject download upgrade update -S -i")),
    "uv": names("add pip tool"), "poetry": names("add install self"), "pdm": names("add install"),
    "pipenv": names("install"), "cargo": names("install add binstall"), "go": names("install get run"),
    "composer": names("require install global"), "dotnet": names("add tool"), "mise": names("use install plugin"),
    "asdf": names("install plugin"), "deno": names("install add run"), "gh": names("extension"),
    "claude": names("mcp plugin"), "codex": names("mcp"), "gemini": names("extensions mcp"), "code": names("--install-extension"),
    "docker": names("run pull exec load import"), "podman": names("run pull exec load import"),
    "helm": names("install upgrade repo"), "kubectl": names("apply run exec create"), "git": names("clone submodule"),
    "bundle": names("add install"), "rustup": names("component toolchain target"), "mix": names("archive.install"),
}  # fmt: skip
_REMOTES = {"git": names("push fetch pull remote ls-remote"), "gh": names("api auth"), "docker": names("push login")}
_LOWERS = re.compile(
    r"--?(?:no-?verif\w*|force[\w-]*|yolo|insecure\w*|privileged|dangerous\w*[\w-]*|unsafe[\w-]*|trust[\w-]*|bypass[\w-]*"
    r"|skip[\w-]*|disable[\w-]*|allow[\w-]*|ignore[\w-]*|exclude[\w-]*|accept[\w-]*|assume[\w-]*|auto-?(?:approve|confirm"
    r"|accept)[\w-]*|yes|admin|hard|delete|full-auto|break-[\w-]*|legacy-[\w-]*|without-[\w-]*|nocheck|permissive|lax"
    r"|approval[\w-]*|permission[\w-]*|sandbox[\w-]*|dangerously[\w-]*|fix-permissions|prune|purge|exit-zero|passWithNoTests)"
)
_NO = re.compile(r"--no-?([\w-]+)")
_HARMLESS_NO = names(
    "cache color colors pager edit install coverage watch headless fail-fast ff stat tags progress header emit Emit"
    " capture summary stderr stdout banner open daemon deps build sync dev optional merges commit renames ext-diff"
    " patch abbrev trunc heading filename messages line-number ignore-vcs interactive interaction ansi input truncate"
    " browser reload site packages pretty quiet verbose renormalize stack traceback cov cacheprovider parallel"
)
_LETTERS = {"git": {"push": "f", "commit": "n", "checkout": "f", "clean": "fdx", "branch": "DM", "rm": "f", "add": "f"}}
_BRINGS = names("--with --with-editable --with-requirements --from --package --spec --require --plugin --preload --import --loader")
_LEADS = re.compile(
    r"--(?:extra-)?(?:index|index-url|registry|proxy|host|hostname|remote|url|endpoint|server|mirror|repository|find-links"
    r"|trusted-host|base-url|upstream|origin|api-url|source)"
)
_CREDENTIALS = re.compile(
    r"--?(?:token|password|pass|secret|api-?key|credential\w*|identity\w*|private-?key|user(?:name)?|as|uid|cap-add|volume"
    r"|mount|device|security-opt|pid|network|net|ipc|userns|impersonate[\w-]*|profile|role-arn|kubeconfig)"
)
_RISKY_VALUE = re.compile(
    r"danger|bypass|unsafe|insecure|\broot\b|admin|\btrust|disable|\bskip|\bnever\b|full-access|\boff\b|\bnone\b|hookspath",
    re.IGNORECASE,
)
_GUARDS = re.compile(
    r"--?(?:dry-?run|check|verify[\w-]*|sandbox[\w-]*|read-?only|safe[\w-]*|strict[\w-]*|frozen[\w-]*|locked|immutable"
    r"|require-hashes|confirm|interactive|no-install|no-exec|noop|gpg-sign|sign|signoff|audit|offline|ignore-scripts)"
)
_SETTINGS = names(
    "CI NODE_ENV RUST_BACKTRACE RUST_LOG CGO_ENABLED GOOS GOARCH GOWORK GOMAXPROCS PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED"
    " PYTHONUTF8 PYTHONIOENCODING PYTHONHASHSEED PYTHONPATH FORCE_COLOR NO_COLOR CLICOLOR TERM COLUMNS LINES LANG LC_ALL"
    " TZ LOG_LEVEL DJANGO_SETTINGS_MODULE FLASK_APP FLASK_ENV RAILS_ENV RACK_ENV APP_ENV MIX_ENV PORT JOBS PAGER GIT_PAGER"
    " UPDATE_SNAPSHOTS SNAPSHOT_UPDATE TEST_FILTER DEBUG VERBOSE UV_PROJECT_ENVIRONMENT PWD"
)
_LOCAL_VALUE = re.compile(r"[\w.,:/=+-]{0,80}")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://(?!(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(?:[:/]|\Z))", re.IGNORECASE)
_USER_AT = re.compile(r"[\w.+-]+@[\w.-]+(?::.*)?\Z|[\w.-]+:[\w./~-]+\.git\Z")
_HOST_PORT = re.compile(r"(?!localhost:|127\.)[\w.-]*[A-Za-z][\w.-]*:\d{2,5}(?:/.*)?\Z|\d{1,3}(?:\.\d{1,3}){3}")
_DOMAIN = re.compile(r"(?:[\w-]+\.)+(?P<end>[a-z]{2,18})(?::\d+)?(?P<path>/.*)?\Z", re.IGNORECASE)
_FILE_ENDINGS = names(
    "py pyi ts tsx js jsx mjs cjs mts cts json jsonc json5 md mdx rst txt yml yaml toml ini cfg conf lock go mod sum rs rb"
    " java kt kts gradle scala c cc cpp cxx h hpp cs fs vb swift m mm sh bash zsh fish ps1 bat sql html htm css scss sass"
    " less vue svelte astro xml csv tsv proto graphql gql tf tfvars hcl env example dist log out snap svg png jpg gif ico"
    " pdf lua php pl r jl ex exs erl hrl elm clj cljs edn dart nix bzl bazel cmake mk tmpl tpl hbs ejs erb jinja j2 feature"
    " ipynb zig nim v sol wasm map patch diff bak test spec config rc db sqlite parquet gz zip tar tgz xz whl sln csproj"
) - {"example"}
_OUTSIDE = re.compile(r"^(?:/(?!dev/(?:null|stdin|stdout|stderr)\Z)|~|\$|\.\.(?:/|\Z)|[A-Za-z]:\\)")
_HOOKS = re.compile(r"(?:^|/)\.(?:git|ssh|husky|claude|codex|gemini|github|vscode|bashrc|zshrc|profile|npmrc|pypirc|netrc|env)\b")
_QUIET = ("/dev/null", "1", "2")
_PLACE = re.compile(r"<(?:path|name)>")
_TASKS = re.compile(r"(?:deps|ecto|phx|hex)\.[a-z_]+")  # of mix
_MASKED = re.compile(r"…,.*,…")


def power_of(line: str) -> str:
    """What the line can do that only a person may advise. `<path>` stands for any path inside the repository."""
    return _first(_powers(_PLACE.sub("x", line)))


def is_tellable(line: str) -> bool:
    """Whether a command of a repository may be named to an agent: ordinary, and made of plain names."""
    return bool(quoted(line)) and not reads_like_a_sentence(line) and not power_of(line)


def power_gained(failed: str, fixed: str) -> str:
    """The same, of what the second line can do and the first cannot: by what came to it, or fell away."""
    had = {word.text for command in parsed(failed).commands for word in command.words}
    gained = {*_powers(fixed)} - {*_powers(failed)}
    gained |= {Power(OTHER, name) for name in _programs(fixed) if not _is_known(name) and name not in had}
    return _first((*gained, *_lost_guards(failed, fixed), *_joined(failed, fixed), *_given(failed, fixed)))


def power_of_change(change: Change) -> str:
    """The same, of a change that is applied to other lines."""
    return power_gained(_spelled(change.old), _spelled(change.new))


def _spelled(words: Iterable[str]) -> str:
    return " ".join(word for word in words if word not in ("*", "…") and not _MASKED.fullmatch(word))


def _first(powers: Iterable[Power]) -> str:
    found = min(powers, default=None)
    return found.kind if found else ""


def _powers(line: str) -> Iterator[Power]:
    tree = parsed(line)
    if line.strip() and (not tree.is_whole or not tree.commands):
        yield Power(SCRIPT, line)
    for command in tree.commands:
        yield from _of_command(command)
        fed = any(other.joint in ("|", "|&") and other.number == command.number - 1 for other in tree.commands)
        if fed and command.program in _INTERPRETERS - {"awk"}:
            yield Power(SCRIPT, command.program)
        hidden = any(other.joint == "||" and other.number == command.number - 1 for other in tree.commands)
        if hidden and command.program in ("true", ":", "exit"):
            yield Power(CHECKS, "|| true")


def _of_command(command: Command) -> Iterator[Power]:
    texts = [word.text for word in command.words]
    for each in (*command.wrappers, command.program):
        if each.rpartition("/")[2] in _RIGHTS:
            yield Power(RIGHTS, each)
    if command.program in _SCRIPTED or any(word.expands for word in command.words):
        yield Power(SCRIPT, command.program)
    if command.program in _INTERPRETERS and not _INLINE.isdisjoint(command.arguments) and "awk" != command.program:
        yield Power(SCRIPT, command.program)
    if command.program == "set" and "+e" in command.arguments:
        yield Power(CHECKS, "set +e")
    if texts and _OUTSIDE.match(texts[0]):
        yield Power(ELSEWHERE, texts[0])
    yield from (Power(CHECKS, name) for name, value in command.assignments if not _is_setting(name, value))
    yield from _of_packages(command, texts)
    yield from _of_redirections(command)
    yield from _of_words(command, texts)


def _of_packages(command: Command, texts: list[str]) -> Iterator[Power]:
    is_fetching = any(each in _FETCHING or each in _FETCHING_LONG for each in command.wrappers)
    called = next((text for text in texts if text.rpartition("/")[2].partition("@")[0] == command.program), "")
    if is_fetching and (called != command.program or command.program not in _KNOWN) and "--no-install" not in texts:
        yield Power(PACKAGE, command.program)
    if command.program in _FETCHING:
        yield Power(PACKAGE, " ".join(texts))
    steps = command.subcommand.split()
    verbs = _INSTALLS.get(command.program, frozenset())
    if verbs.isdisjoint((*steps[:2], *command.arguments[:1])):
        return
    rest = [word for word in command.arguments if word not in steps]
    yield from (Power(PACKAGE, word) for word in _operands(rest) if not _is_own_code(word))
    if command.program in ("docker", "podman") and "compose" not in steps:
        yield Power(PACKAGE, command.program)


def _operands(words: Iterable[str]) -> Iterator[str]:
    """Words that are no flags, and not the file behind `-r`."""
    before = ""
    for word in words:
        if not word.startswith("-") and before not in ("-r", "--requirement", "--requirements"):
            yield word
        before = word


def _is_own_code(word: str) -> bool:
    """Whether an installer is only told to take what the repository says."""
    path = word.partition("[")[0]
    return path in (".", "...") or (path.startswith("./") and ".." not in path.removesuffix("...").split("/"))


def _of_redirections(command: Command) -> Iterator[Power]:
    for one in command.redirections:
        if ">" in one.operator and one.target not in _QUIET:
            yield Power(ELSEWHERE, one.target)


def _of_words(command: Command, texts: list[str]) -> Iterator[Power]:
    program, step = command.program, command.subcommand.partition(" ")[0]
    takes_hosts = program in _REACHING or step in _REMOTES.get(program, ())
    before = ""
    for at, text in enumerate(texts):
        name, mark, value = text.partition("=")
        if text.startswith("-"):
            yield from _of_flag(command, step, name, value if mark else "".join(texts[at + 1 : at + 2]))
        elif at and (_is_host(text) or (takes_hosts and text in command.arguments and text != step and not _is_usual(text))):
            yield Power(HOST, text)
        elif at and (_OUTSIDE.match(text) or _HOOKS.search(text)):
            yield Power(ELSEWHERE, text)
        if before == "-c" and program == "git":
            yield Power(CHECKS, name)
        if mark and _is_host(value):
            yield Power(HOST, value)
        before = text


def _is_usual(word: str) -> bool:
    """What a remote of git is mostly called, and this machine."""
    return word in ("origin", "upstream", "main", "master", "HEAD", "localhost", "add", "-v") or word.startswith("localhost:")


def _of_flag(command: Command, step: str, name: str, value: str) -> Iterator[Power]:
    denied = _NO.fullmatch(name)
    letters = _LETTERS.get(command.program, {}).get(step, "k" if command.program in _REACHING else "")
    if _BRINGS.issuperset((name,)) or (name == "-p" and any(each in _FETCHING for each in command.wrappers)):
        yield Power(PACKAGE, value or name)
    elif _LEADS.fullmatch(name):
        yield Power(HOST, value or name)
    elif _CREDENTIALS.fullmatch(name):
        yield Power(RIGHTS, name)
    elif (
        _LOWERS.fullmatch(name)
        or (denied and denied[1] not in _HARMLESS_NO)
        or (len(name) > 1 and name[1] != "-" and any(letter in letters for letter in name[1:]))
        or (name in ("-y",) and any(each in _FETCHING for each in command.wrappers))
        or _RISKY_VALUE.search(value)
    ):
        yield Power(CHECKS, name)


def _is_host(word: str) -> bool:
    if _SCHEME.match(word) or _USER_AT.match(word) or _HOST_PORT.match(word):
        return True
    domain = _DOMAIN.match(word)
    if domain is None or word.startswith((".", "-", "/")) or _TASKS.fullmatch(word):
        return False
    return bool(domain["path"]) or domain["end"].lower() not in _FILE_ENDINGS


def _is_setting(name: str, value: str) -> bool:
    """Whether a variable in front of a command is one that turns nothing off."""
    return name in _SETTINGS and bool(_LOCAL_VALUE.fullmatch(value)) and not _OUTSIDE.match(value) and ".." not in value


def _programs(line: str) -> Iterator[str]:
    """What is run in the end, and what runs it."""
    for command in parsed(line).commands:
        yield from (each for each in command.wrappers if each not in _RUNNERS)
        path = command.words[0].text if command.words else ""
        if "/" not in path or not path.endswith(command.program):
            yield command.program


def _is_known(name: str) -> bool:
    return name in _KNOWN or name in _WRAPPERS or name in _FETCHING or name in _FETCHING_LONG or name in _RIGHTS


def _lost_guards(failed: str, fixed: str) -> Iterator[Power]:
    """Flags and sandboxes that fell away and that had kept something from happening."""
    kept = {word.text.partition("=")[0] for command in parsed(fixed).commands for word in command.words}
    for command in parsed(failed).commands:
        for word in command.words:
            name = word.text.partition("=")[0]
            if name not in kept and (_GUARDS.fullmatch(name) or name in _SANDBOXES):
                yield Power(CHECKS, name)


def _joined(failed: str, fixed: str) -> Iterator[Power]:
    """Commands that came to the line."""
    before, after = parsed(failed).commands, parsed(fixed).commands
    if len(after) > max(1, len(before)):
        known = [command.program for command in before]
        yield from (
            Power(OTHER, command.program)
            for command in after
            if command.program not in known and command.program not in ("cd", "pushd")
        )


def _given(failed: str, fixed: str) -> Iterator[Power]:
    """Names that were given to programs which nobody knows: what they mean cannot be told."""
    before = [word for command in parsed(failed).commands for word in command.arguments if not word.startswith("-")]
    after = [
        word
        for command in parsed(fixed).commands
        if not _is_known(command.program)
        for word in command.arguments
        if not word.startswith("-")
    ]
    if len(after) > len(before):
        yield from (Power(OTHER, word) for word in after if word not in before and not _is_own_code(word))
