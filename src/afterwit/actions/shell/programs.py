"""What is known about programs: which have subcommands, which wrap others, how much a command matters in its line, and
whose exit code is an answer.

A program that is not listed has no subcommands, does real work, and fails when it says so.
"""

from enum import IntEnum
from typing import NamedTuple

from afterwit.model.text import regex


class Subcommands:
    """How a program is divided."""

    __slots__ = ("depth", "nested", "value_options")

    def __init__(
        self, nested: frozenset[str] = frozenset(), value_options: frozenset[str] = frozenset(), depth: int = 1
    ) -> None:
        self.nested = nested  # words followed by one more word that belongs to the subcommand
        self.value_options = value_options  # global options that take the next word
        self.depth = depth


def names(text: str) -> frozenset[str]:
    """The blank-separated names of a table row."""
    return frozenset(text.split())


_PACKAGE_SCRIPTS = names("run run-script")
_TASKS = Subcommands(value_options=names("-C -f -j --directory --file --jobs -I --justfile --working-directory -d -p"))

SUBCOMMANDS: dict[str, Subcommands] = {
    **dict.fromkeys(
        names("pipx pipenv tox nox biome apt apt-cache dnf apk launchctl bundle gem rails mix sbt"), Subcommands()
    ),
    **dict.fromkeys(names("make gmake ninja just task rake"), _TASKS),
    "git": Subcommands(
        names("stash remote submodule worktree bisect notes flow lfs sparse-checkout reflog bundle"),
        names("-C -c --git-dir --work-tree --namespace --exec-path --config-env"),
    ),
    "gh": Subcommands(
        names(
            "pr issue repo run workflow release auth gist label project secret variable cache codespace extension"
            " ruleset search ssh-key gpg-key config alias org"
        ),
        names("-R --repo --hostname"),
    ),
    "tea": Subcommands(names("pr pulls issues releases repos login"), names("-r --repo")),
    "glab": Subcommands(names("mr issue repo ci release auth"), names("-R --repo")),
    "npm": Subcommands(
        _PACKAGE_SCRIPTS | names("config cache pkg"), names("--prefix -w --workspace -C --registry --loglevel")
    ),
    "pnpm": Subcommands(
        _PACKAGE_SCRIPTS | names("config store"), names("--filter -F -C --dir --prefix --reporter --loglevel")
    ),
    "yarn": Subcommands(_PACKAGE_SCRIPTS | names("workspaces config npm"), names("--cwd")),
    "bun": Subcommands(_PACKAGE_SCRIPTS | names("pm"), names("--filter -F --cwd --config -c --env-file -r --preload")),
    "deno": Subcommands(names("task")),
    "cargo": Subcommands(
        names("nextest"), names("--manifest-path -C --config --color -Z --target-dir --jobs -j --package -p")
    ),
    "rustup": Subcommands(names("toolchain target component override")),
    "go": Subcommands(names("mod tool work telemetry"), names("-C")),
    "docker": Subcommands(
        names("compose container image volume network system buildx builder context"),
        names("-H --host -c --context --config -l --log-level -f --file -p --project-name --profile --env-file"),
    ),
    "podman": Subcommands(names("compose container image volume network system pod machine"), names("--log-level")),
    "docker-compose": Subcommands(value_options=names("-f --file -p --project-name --profile --env-file")),
    "kubectl": Subcommands(
        names("config rollout set create auth top"),
        names("-n --namespace --context --kubeconfig --cluster --user -s --server"),
    ),
    "helm": Subcommands(names("repo plugin dependency get show"), names("-n --namespace --kube-context")),
    **dict.fromkeys(("terraform", "tofu"), Subcommands(names("state workspace providers"))),
    "pulumi": Subcommands(names("stack config plugin"), names("-s --stack -C --cwd")),
    "aws": Subcommands(depth=2, value_options=names("--profile --region --output --endpoint-url --query")),
    "gcloud": Subcommands(depth=3, value_options=names("--project --account --format --configuration")),
    "az": Subcommands(depth=2, value_options=names("--subscription --output -o")),
    **dict.fromkeys(
        ("pip", "pip3"), Subcommands(names("config cache index"), names("--python --proxy --cache-dir --log"))
    ),
    "uv": Subcommands(
        names("pip tool python cache self"), names("--directory --project --python -p --config-file --cache-dir")
    ),
    "poetry": Subcommands(names("env self config cache source"), names("-C --directory -P --project")),
    "pdm": Subcommands(names("config cache"), names("-p --project")),
    "hatch": Subcommands(names("env config dep"), names("-e --env -p --project")),
    "conda": Subcommands(names("env config")),
    "ruff": Subcommands(value_options=names("--config")),
    "mise": Subcommands(names("run tasks config settings plugins cache"), names("-C --cd -E --env")),
    "asdf": Subcommands(names("plugin")),
    "golangci-lint": Subcommands(names("linters config cache")),
    "turbo": Subcommands(names("run"), names("--filter -F")),
    **dict.fromkeys(("nx", "lerna"), Subcommands(names("run"))),
    "vercel": Subcommands(names("env domains")),
    "wrangler": Subcommands(names("d1 kv r2 pages secret")),
    "brew": Subcommands(names("services bundle")),
    "apt-get": Subcommands(value_options=names("-o -c -t")),
    "systemctl": Subcommands(value_options=names("-M -H")),
    "tmux": Subcommands(value_options=names("-L -S -f")),
    "nix": Subcommands(names("flake profile store registry")),
    "dotnet": Subcommands(names("tool nuget new ef")),
    "composer": Subcommands(names("run run-script"), names("-d --working-dir")),
    "swift": Subcommands(names("package")),
    **dict.fromkeys(("flutter", "dart"), Subcommands(names("pub"))),
    **dict.fromkeys(("mvn", "mvnw"), Subcommands(value_options=names("-f -pl -P -s -T --file --projects"))),
    **dict.fromkeys(
        ("gradle", "gradlew"),
        Subcommands(value_options=names("-p -b -c -I -x --project-dir --build-file --exclude-task")),
    ),
    "claude": Subcommands(names("mcp plugin")),
    "codex": Subcommands(names("mcp")),
    "bd": Subcommands(names("dep")),
}
MODULE_RUNNERS = names("python python2 python3 py pypy pypy3")

PREPARES = names(
    "cd pushd popd export unset set setopt unsetopt shopt source . alias unalias local declare typeset readonly ulimit"
    " umask trap shift wait sleep exit return break continue true false : exec eval let read getopts hash disown jobs"
    " fg bg nvm rbenv pyenv (("
)
TALKS = names("echo printf print clear tput date pwd whoami hostname uname Write-Host Write-Output")
FEEDS = names("cat echo printf print yes tac")
FILTERS = names(
    "head tail cat tac grep egrep fgrep zgrep rg ag ack sed awk gawk mawk sort uniq wc cut tr tee less more most column"
    " jq yq xxd od hexdump nl fold fmt rev paste join comm strings expand base64 shuf split tsort bat delta ts pv"
    " sponge md5sum sha1sum sha256sum shasum colordiff iconv Select-Object Select-String Where-Object Format-Table"
    " Format-List Out-String Out-Null Measure-Object Sort-Object ForEach-Object findstr more.com"
)
LOOKS = FILTERS | names(
    "ls ll find fd fdfind tree stat file du df ps pgrep pidof lsof top which whereis type command whence where id"
    " groups env printenv locale test [ [[ diff cmp mkdir rmdir touch rm cp mv ln chmod chown kill pkill killall"
    " basename dirname realpath readlink seq expr mktemp gofmt dir Get-ChildItem Get-Content Get-Location Test-Path"
    " Get-Command Get-Process gci gc"
)
GIT_LOOKS = names(
    "status log diff show branch rev-parse remote ls-files ls-tree ls-remote blame config describe tag cat-file grep"
    " shortlog reflog rev-list merge-base show-ref for-each-ref symbolic-ref check-ignore var name-rev whatchanged add"
    " version"
)

_ASSIGNMENT = regex(r"[A-Za-z_]\w*\+?=")
SHELLS = names("bash sh zsh dash ksh ash fish")


def subcommand_in(program: str, arguments: list[str]) -> str:
    """The subcommand among the words after a program."""
    if program in MODULE_RUNNERS:
        return _module(arguments)
    table = SUBCOMMANDS.get(program)
    if table is None:
        return ""
    operands: list[str] = []
    wanted, at = table.depth, 0
    while len(operands) < wanted:
        index = operand_at(arguments, at, table.value_options)
        if index is None:
            break
        operands.append(arguments[index])
        at = index + 1
        if len(operands) == 1 and operands[0] in table.nested:
            wanted = max(wanted, 2)
    return " ".join(operands)


def operand_at(words: list[str], at: int, value_options: frozenset[str]) -> int | None:
    """The index of the first word that is neither an option, an option's value, an assignment nor a toolchain."""
    while at < len(words):
        text = words[at]
        if text in value_options:
            at += 2
        elif text[:1] in ("-", "+") or _ASSIGNMENT.match(text):
            at += 1
        else:
            return at
    return None


def _module(arguments: list[str]) -> str:
    """`-m name` of a Python call, looked for before the first operand."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        text = arguments[at]
        if text == "-m":
            return " ".join(arguments[at : at + 2])
        if text in ("-", "-c"):
            break
        at += 2 if text in ("-W", "-X") else 1
    return ""


class Weight(IntEnum):
    """How much a command matters in its line."""

    PREPARES = 0  # or only talks
    FILTERS = 1  # or only feeds
    LOOKS = 2  # or only tidies
    WORKS = 3


def weight_of(program: str, subcommand: str, *, is_stage: bool, feeds: bool) -> Weight:
    """How much a command matters in its line. `is_stage`: it reads from a pipe. `feeds`: it writes into one."""
    if not program or program in PREPARES or program in TALKS:
        return Weight.PREPARES
    if (is_stage and program in FILTERS) or (feeds and program in FEEDS):
        return Weight.FILTERS
    if program in LOOKS or (program == "git" and subcommand.partition(" ")[0] in GIT_LOOKS):
        return Weight.LOOKS
    return Weight.WORKS


class AnswerCodes(NamedTuple):
    """Exit codes that are an answer and not a failure, if one of the flags is present (or always)."""

    codes: frozenset[int] = frozenset({1})
    flags: frozenset[str] = frozenset()


ANSWERS: dict[str, AnswerCodes] = {
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "findstr", "git grep"), AnswerCodes()),
    **dict.fromkeys(("diff", "cmp", "colordiff", "zdiff", "delta"), AnswerCodes()),
    **dict.fromkeys(("test", "[", "[[", "expr", "let", "(("), AnswerCodes()),
    **dict.fromkeys(("which", "type", "hash", "whence", "where", "whereis"), AnswerCodes()),
    **dict.fromkeys(("pgrep", "pidof", "pkill", "killall", "lsof", "fuser", "printenv"), AnswerCodes()),
    "command": AnswerCodes(frozenset({1, 127}), names("-v -V")),
    "ps": AnswerCodes(flags=names("-p --pid -C -q")),
    "jq": AnswerCodes(frozenset({1, 4}), names("-e --exit-status")),
    "gofmt": AnswerCodes(flags=names("-d -l")),
    "getent": AnswerCodes(frozenset({2})),
    "nc": AnswerCodes(flags=names("-z -vz -zv")),
    "systemctl is-active": AnswerCodes(frozenset({1, 3})),
    "systemctl is-enabled": AnswerCodes(),
    "tmux has-session": AnswerCodes(),
    "git diff": AnswerCodes(flags=names("--exit-code --quiet --no-index")),
    "git diff-index": AnswerCodes(flags=names("--exit-code --quiet")),
    "git diff-files": AnswerCodes(flags=names("--exit-code --quiet")),
    "git ls-remote": AnswerCodes(frozenset({2}), names("--exit-code")),
    "git ls-files": AnswerCodes(flags=names("--error-unmatch")),
    "git merge-base": AnswerCodes(flags=names("--is-ancestor")),
    "git show-ref": AnswerCodes(),
    "git rev-parse": AnswerCodes(flags=names("-q --quiet")),
    "git symbolic-ref": AnswerCodes(flags=names("-q --quiet")),
    "git config": AnswerCodes(),
    "git check-ignore": AnswerCodes(),
    "git cat-file": AnswerCodes(flags=names("-e")),
}
XARGS_FAILED = 123  # GNU xargs: a command ended with 1 to 125


def is_answer(program: str, subcommand: str, flags: tuple[str, ...], exit_code: int) -> bool:
    """Whether this exit code only says no."""
    name = f"{program} {subcommand}".strip()
    answer = ANSWERS.get(name) or ANSWERS.get(program)
    return answer is not None and exit_code in answer.codes and (not answer.flags or not answer.flags.isdisjoint(flags))
