"""Two hundred odd calls before checks: none raises, none runs anything, and what is stopped is what would be run."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from tests.recall.hook.conftest import KEY

from afterwit.agents.hook_payloads import AFTER, BEFORE, PROMPT, Moment
from afterwit.knowledge.check_forms import check_from
from afterwit.recall.deck.deck_checks import checks_at
from afterwit.recall.deck.location import Location
from afterwit.recall.deck.reader import Deck
from afterwit.recall.deck.write import DeckContent, DeckSettings, write_deck
from afterwit.recall.holdout import History
from afterwit.recall.hook.call import checked
from afterwit.recall.hook.checks import standing

HERE = Location("orchard", "/srv/orchard")
FORMS = (
    "never run git push unless asked",
    "before git commit: make lint",
    "pnpm instead of npm",
    "never edit src/made/**",
    "after schema.prisma: npx prisma generate",
    'never write "pear*wine" in src/**',
    "never write Signed-off-by in a commit message",
)
PUSHES = """git push
git push origin main
git  push
git -C /tmp/x push
git -c user.name=a push
git --no-pager push --force
GIT_TRACE=1 git push
env A=b git push
/usr/bin/git push
"git" push
'git' 'push'
g"it" push
git pu"sh"
\\git push
cd a && git push
cd a; git push
true || git push
(git push)
( cd a; git push )
{ git push; }
if true; then git push; fi
for b in a b; do git push origin $b; done
while :; do git push; done
case x in x) git push;; esac
git push &
git push | tail
git push 2>&1 | tee log
echo a | xargs git push
sudo git push
sudo -u ada git push
time git push
nohup git push
timeout 10 git push
nice -n 5 git push
bash -c 'git push'
bash -lc "cd a && git push"
sh -c 'sh -c "git push"'
bash <<EOF
git push
EOF
bash <<'EOF'
cd a
git push
EOF
! git push
git push && git push
git commit -m x && git push
exec git push
command git push
git push # later
git push\\
 origin
C:\\tools\\git.exe push
git.exe push
zsh -c "git push"
git push --tags
git push -u origin HEAD
git push --no-verify
git push <<< x
git push > /dev/null
A=$(date) git push"""
PASSES = """echo "git push"
echo git push
echo 'git push' > notes
printf '%s' "git push"
git commit -m "do not git push"
git log --grep push
git stash push
git stash push -m x
git subtree push-like
git config alias.p push
git help push
git push --dry-run
git push -n
git push --help
git remote set-url --push origin x
grep -r "git push" .
rg 'git push'
cat <<EOF
git push
EOF
cat > x.md <<'EOF'
run git push
EOF
python - <<'EOF'
print("git push")
EOF
# git push
true # git push
f() { git push; }
function f { git push; }
alias p='git push'
p
gp
eval "git push"
$CMD push
${GIT:-git} push
$(echo git) push
`echo git` push
ssh host 'git push'
docker run x git-push
gitpush
git-push
git pushx
mygit push
./git/push
git pull
git fetch --all
[ "git push" = x ]
[[ git == push ]]
test -f push
ls push
cd push
make push
npx push
python push.py git
pushd git
git show push
git checkout push
git branch push
git tag push
git add push
git diff -- push
git -h push
echo $(git push)
diff <(git push) x
x="git push"
export X="git push"
trap 'git push' EXIT
gh pr list --search "git push"
curl -d "git push" localhost
kill %1 # push git
sed 's/git push/x/' a
awk '/git push/' a
find . -name "git push"
ls # && git push
sleep 1 && echo done push git"""
ODD = [
    "",
    " ",
    "\n",
    "\0",
    "git\0push",
    "git push\0",
    "\ufeffgit push",
    "git\u00a0push",
    "git\u200bpush",
    "\x1b[31mgit push\x1b[0m",
    "\udcff\udcfe git push",
    "git push \ud800",
    "'",
    '"',
    "git push '",
    'git push "',
    "git push `",
    "git push $(",
    "git push ${",
    "git push $((",
    "((((",
    "))))",
    "{{{{ git push",
    "if git push",
    "for in do git push",
    "case git push",
    "<<EOF",
    "git push <<",
    "git push <<EOF",
    "bash <<EOF\ngit push",
    "git push <<<",
    "git push >",
    "git push >&",
    "git push 2>&1 >",
    "&&",
    "|| git push",
    "| git push |",
    ";;; git push ;;;",
    "& & git push",
    "git push &&",
    "\\",
    "git push \\",
    "\\\n\\\n",
    "!",
    "! ! git push",
    "[[ git push",
    "npm",
    "npm \0 install",
    "npm 'install",
    "sed -i",
    "sed -i '' src/made/a.py",
    "rm -rf src/made /",
    "rm -- src/made/a",
    "> src/made/a.py",
    ">| src/made/a.py",
    "tee",
    "tee ../../../../etc/passwd",
    "cp a",
    "mv",
    "git commit -m",
    "git commit --message",
    "git commit -F",
    "git commit -F -",
    "git commit -m '' -m ''",
    "git commit -mSigned-off-by",
    "git commit --message=Signed-off-by",
    "git commit --trailer Signed-off-by",
    'PowerShell -Command "git push"',
    "cmd /c git push",
    "Get-ChildItem | % { git push }",
    "C:\\Users\\ada\\src\\made\\a.py",
    "cd C:\\src && echo x > made\\a.py",
    "%GIT% push",
    "git push; " * 2_000,
    "(" * 5_000 + "git push",
    "$(" * 5_000 + "git push",
    "'" * 9_999,
    "a" * 200_000,
    "git push " + "x " * 50_000,
    "npm " + "-" * 100_000,
    "bash -c '" * 500,
]


def _lines(text: str) -> list[str]:
    """The calls of a table; what belongs to a here-document, or follows a backslash, belongs to its call."""
    calls: list[str] = []
    ends = ""
    for row in text.split("\n"):
        if ends or (calls and calls[-1].endswith("\\")):
            calls[-1] += f"\n{row}"
            ends = "" if row == ends else ends
        else:
            calls.append(row)
            ends = "EOF" if "<<" in row and "EOF" in row else ""
    return calls


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory) -> Deck:
    path = tmp_path_factory.mktemp("hostile") / "deck.db"
    checks = checks_at("", [check_from(text) for text in FORMS])
    write_deck(path, DeckContent(DeckSettings(KEY), checks=checks))
    return Deck(str(path))


def heard() -> History:
    """A session whose user asked for nothing, and in which something was edited."""
    history = History([], "")
    history.hears_user = True
    history.checks = {check_from(text).id: "edited" for text in FORMS[1:]}
    return history


def stopped(deck: Deck, moment: Moment) -> list[str]:
    """The kinds of checks that a call goes against."""
    found = checked(deck, "claude-code", moment, HERE, is_there=lambda _: True)
    return [breach.check.kind for breach in standing(found.breaches, heard())] if found is not None else []


def shell(line: str, event: str = BEFORE) -> Moment:
    return Moment(event, "s1", cwd="/srv/orchard", tool="Bash", arguments={"command": line}, is_error=False)


def test_there_are_two_hundred_calls() -> None:
    assert len(_lines(PUSHES)) + len(_lines(PASSES)) + len(ODD) >= 200


@pytest.mark.parametrize("line", _lines(PUSHES))
def test_whatever_would_push_is_stopped(deck: Deck, line: str) -> None:
    assert "not-command" in stopped(deck, shell(line))


@pytest.mark.parametrize("line", _lines(PASSES))
def test_what_only_names_it_or_cannot_be_told_passes(deck: Deck, line: str) -> None:
    assert "not-command" not in stopped(deck, shell(line))


@pytest.mark.parametrize("line", ODD, ids=range(len(ODD)))
def test_no_odd_call_raises_at_any_moment(deck: Deck, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", None)  # nothing is ever run
    monkeypatch.setattr("os.system", None)
    for moment in (
        shell(line),
        shell(line, AFTER),
        Moment(PROMPT, "s1", prompt=line),
        *_edits(line),
    ):
        checked(deck, "claude-code", moment, HERE)


def _edits(text: str) -> Iterator[Moment]:
    """The same as a path, as what is written, and as a patch."""
    given: tuple[dict[str, Any], ...] = (
        {"file_path": text, "content": "x"},
        {"file_path": "/srv/orchard/src/a.py", "content": text},
        {"file_path": "/srv/orchard/src/a.py", "edits": [{"old_string": text, "new_string": text}, text, None, 7]},
        {"input": f"*** Begin Patch\n*** Update File: {text}\n+{text}\n*** End Patch"},
        {"command": ["bash", "-lc", text]},
        {"command": [text, text]},
    )
    for arguments in given:
        yield Moment(BEFORE, "s1", cwd="/srv/orchard", tool="Edit", arguments=arguments)


def test_a_path_with_backslashes_is_found_below_the_repository(deck: Deck) -> None:
    edit = Moment(BEFORE, "s1", cwd="/srv/orchard", tool="Edit", arguments={"file_path": "src\\made\\a.py"})
    assert stopped(deck, edit) == ["not-file"]


def test_a_text_with_gaps_is_found_in_one_line_alone(deck: Deck) -> None:
    def writes(text: str) -> bool:
        arguments: dict[str, object] = {"file_path": "/srv/orchard/src/a.py", "content": text}
        return "not-text" in stopped(deck, Moment(BEFORE, "s1", tool="Write", arguments=arguments, cwd="/srv/orchard"))

    assert writes("a Pear and some WINE here")
    assert not writes("a pear\nand wine")
    assert not writes("spear and swine")
    assert not writes("wine, then pear")


@pytest.mark.parametrize(
    "grown",
    [
        lambda count: shell("git push; " * count),
        lambda count: shell("(" * count + "git push"),
        lambda count: shell("git commit -m '" + "Signed-off-b " * count + "'"),
        lambda count: shell("echo x > src/made/a; " * count),
        lambda count: Moment(PROMPT, "s1", prompt="do not push. " * count),
        lambda count: Moment(
            BEFORE,
            "s1",
            cwd="/srv/orchard",
            tool="Write",
            arguments={"file_path": "/srv/orchard/src/a.py", "content": "pear " * count + "\n" + "pearwin " * count},
        ),
    ],
)
def test_work_grows_no_faster_than_the_call(deck: Deck, grown: Any) -> None:
    few, many = (_steps(deck, grown(count)) for count in (60, 240))
    assert many < 6 * few


def _steps(deck: Deck, moment: Moment) -> int:
    """How many lines of code a call takes."""
    from afterwit.actions.shell.parse import parsed

    parsed.cache_clear()
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        checked(deck, "claude-code", moment, HERE)
    finally:
        sys.settrace(None)
    return count


def test_the_table_runs_nothing_on_disk(tmp_path: Path, deck: Deck) -> None:
    mark = tmp_path / "made"
    for line in (f"touch {mark}", f"git push $(touch {mark})", f"git commit -m `touch {mark}`", f"npm x; touch {mark}"):
        stopped(deck, shell(line))
    assert not mark.exists()
