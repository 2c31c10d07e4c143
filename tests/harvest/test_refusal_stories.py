"""What refusals meant, as sessions met them: in many forms, with the verdicts that capture gives. A wrong remedy is
worse than none."""

import pytest
from tests.harvest.talks import concluded, replied, sentences
from tests.harvest.work import Act, edited, session

from afterwit.actions.failures.excerpt import error_excerpt
from afterwit.actions.failures.failure_class import classify
from afterwit.actions.shell.parse import parsed
from afterwit.actions.steps import judge
from afterwit.actions.tools import command_of
from afterwit.harvest.http_refusals import HttpRefusals
from afterwit.model.kinds import ActionKind, Status, Step

API = "https://forge.example/api/v1/repos/fruit/orchard/pulls/4"
MINE, THEIRS = "$FORGE_TOKEN", "$(cat ~/.config/forge/keeper-token)"
PROTECTED = "The main branch is protected."
HELP = "it worked with the token in `~/.config/forge/keeper-token`"


def did(line: str, output: str = "", code: int | None = 0) -> Act:
    """A call as capture judges it."""
    verdict = judge(ActionKind.SHELL, parsed(line), output, is_error=None, exit_code=code)
    step = Step(ActionKind.SHELL, "terminal", line, verdict.status, verdict.lean, verdict.exit_code)
    if not step.has_failed:
        return Act(step)
    step = step._replace(error=error_excerpt(output))
    is_failure = step.status is Status.FAILED
    return Act(step, classify(step, line) if is_failure else None, signature=f"{line[:20]}: refused")


def coded(code: str, output: str = "", *, failed: bool = False) -> Act:
    return did(command_of({"code": code}), output, 1 if failed else 0)


def learned(*acts: Act, said: str = PROTECTED) -> list[str]:
    days = [session(*acts, day=day, stated=replied(said, day=day)) for day in range(3)]
    return sentences(concluded(HttpRefusals(), days))


def curl(token: str, path: str = "/merge", more: str = "") -> str:
    return f'curl -s -X POST {API}{path} -H "Authorization: token {token}"{more}'


def by_urllib(token: str) -> str:
    return f'''import urllib.request
request = urllib.request.Request("{API}/merge", method="POST", headers={{"Authorization": "token " + {token}}})
print(urllib.request.urlopen(request).read())'''


def by_requests(token: str, path: str = "merge") -> str:
    return f'''import os, requests
answer = requests.post("{API}/{path}", headers={{"Authorization": "token " + {token}}})
print(answer.status_code, answer.text)'''


OWN, KEPT = 'os.environ["FORGE_TOKEN"]', 'open("/home/ann/.config/forge/keeper-token").read().strip()'
TRACE = 'Traceback (most recent call last):\n  File "<stdin>", line 3, in <module>\n'


@pytest.mark.parametrize(
    ("refused", "merged"),
    [
        (did(curl(MINE), '{"message":"not allowed"}\n405'), did(curl(THEIRS), "200")),
        (did(curl(MINE), '405{"message":"not allowed"}'), did(curl(THEIRS), "200{}")),
        (did("gh pr merge 4", "failed to merge: HTTP 405: no", 1), did(f"GH_TOKEN={THEIRS} gh pr merge 4", "Merged.")),
        (
            coded(by_urllib(OWN), TRACE + "urllib.error.HTTPError: HTTP Error 405: Nope", failed=True),
            coded(by_urllib(KEPT)),
        ),
        (
            coded(by_requests(OWN), TRACE + f"HTTPError: 405 Client Error: Nope for url: {API}/merge", failed=True),
            coded(by_requests(KEPT), "200 {}"),
        ),
        (coded(by_requests(OWN), '405 {"message": "not allowed"}'), coded(by_requests(KEPT), "200 {}")),
        (
            did("gh api -X PUT repos/fruit/orchard/pulls/4/merge", "gh: not allowed (HTTP 405)", 1),
            did(f"GH_TOKEN={THEIRS} gh api -X PUT repos/fruit/orchard/pulls/4/merge", "{}"),
        ),
        (
            did(f"wget -q --method=POST {API}/merge --header 'token: {MINE}'", "ERROR 405: Method Not Allowed.", 8),
            did(f"wget -q --method=POST {API}/merge --header 'token: {THEIRS}'"),
        ),
        (coded(by_requests(OWN), "status: 405"), coded(by_requests(KEPT), "status: 200")),
        (
            did(f"python3 - <<'PY'\n{by_requests(OWN)}\nPY", "merge 405"),
            did(f"python3 - <<'PY'\n{by_requests(KEPT)}\nPY", "merge 200"),
        ),
    ],
)
def test_a_merge_that_is_refused_by_whatever_client_teaches_what_it_means(refused: Act, merged: Act) -> None:
    (told,) = learned(refused, merged)
    assert told.startswith("HTTP 405 at ")
    assert "means branch protection" in told
    assert HELP in told


@pytest.mark.parametrize(
    "approval",
    [
        did(curl(THEIRS, "/reviews", ' -d \'{"event": "APPROVED"}\''), '{"id": 7}'),
        did(f"GH_TOKEN={THEIRS} gh pr review 4 --approve", "Approved"),
        coded(by_requests(KEPT, "reviews"), "200 {}"),
    ],
)
def test_the_token_of_an_approval_is_not_said_to_have_merged(approval: Act) -> None:
    (told,) = learned(did(curl(MINE), '{"message":"no"}\n405'), approval, did(curl(MINE), "200"))
    assert (
        "means branch protection; it worked after an approval with the token in `~/.config/forge/keeper-token`." in told
    )


def test_an_approval_explains_a_merge_of_which_nobody_says_why_it_was_refused() -> None:
    (told,) = learned(
        did("tea pr merge 4", "HTTP 405", 1), did("tea pr approve 4", "ok"), did("tea pr merge 4", "ok"), said="Done."
    )
    assert told == "HTTP 405 at `tea pr merge` here means missing approvals; it worked after an approval."


@pytest.mark.parametrize(
    "between",
    [
        did("git rebase main && git push -f", "ok"),
        did("curl -X DELETE https://forge.example/api/v1/repos/fruit/orchard/branch_protections/main -d @x", "ok"),
        did(f"curl -X PATCH {API} -d @title.json", "{}"),
    ],
)
def test_where_something_else_was_changed_in_between_no_way_is_named(between: Act) -> None:
    (told,) = learned(did(curl(MINE), '{"message":"no"}\n405'), between, did(curl(THEIRS), "200"))
    assert told == "HTTP 405 at `curl …/merge` here means branch protection."


def test_of_code_that_looks_and_then_merges_the_merge_is_meant() -> None:
    look = f'import requests\nprint(requests.get("{API}/files").json())\n'
    (told,) = learned(coded(look + by_requests(OWN), "405 {}"), coded(look + by_requests(KEPT), "200 {}"))
    assert told.startswith("HTTP 405 at `python3 …/merge` here means branch protection")
    assert HELP in told


def test_a_method_that_an_address_does_not_take_is_no_matter_of_tokens() -> None:
    jobs = "https://press.example/api/jobs"
    posted = f'curl -s -X POST {jobs} -H "Authorization: token {THEIRS}"'
    assert learned(did(f"curl -s {jobs}", "405 Method Not Allowed"), did(posted, "{}"), said="I see.") == []


def test_a_token_with_which_it_was_refused_again_is_not_named() -> None:
    other = "$(cat ~/.config/forge/old-token)"
    refusal = '{"message":"no"}\n405'
    (told,) = learned(did(curl(MINE), refusal), did(curl(other), refusal), did(curl(THEIRS), "200"))
    assert HELP in told


def test_a_body_from_a_file_is_no_token() -> None:
    told = learned(did(curl(MINE), "405"), did(curl(MINE, more=" -d @/tmp/merge.json"), "200"))
    assert told == ["HTTP 405 at `curl …/merge` here means branch protection."]


def test_a_refusal_for_want_of_rate_is_none() -> None:
    limited = did(curl(MINE), "HTTP 403: API rate limit exceeded")
    assert learned(limited, did(curl(THEIRS), "200")) == []


def test_what_is_said_not_to_be_branch_protection_is_not_told_as_such() -> None:
    assert learned(did(curl(MINE), "405"), said="This is not branch protection, the server is old.") == []


GONE = "cat: /home/ann/.config/forge/token: No such file or directory"
ELSEWHERE = "The token that is not in `~/.config/forge/token` lies in `~/.secrets/forge-token`."
USER = "https://forge.example/api/v1/user"


@pytest.mark.parametrize(
    "acts",
    [
        (
            did(
                f'curl -s {USER} -H "Authorization: token $(cat ~/.config/forge/token)"',
                GONE + '\n{"message":"token is required"}',
            ),
            did("ls -a ~/.secrets", "forge-token"),
            did(f'curl -s {USER} -H "Authorization: token $(cat ~/.secrets/forge-token)"', '{"login":"ann"}'),
        ),
        (
            did("cat ~/.config/forge/token", GONE, 1),
            did("cat ~/.secrets/forge-token", "‹token›"),
            did("tea pr list", "4"),
        ),
        (
            did("export FORGE_TOKEN=$(cat $HOME/.config/forge/token)", GONE, 1),
            did("export FORGE_TOKEN=$(cat $HOME/.secrets/forge-token)"),
            did(f'curl -s {USER} -H "Authorization: token $FORGE_TOKEN"', '{"login":"ann"}'),
        ),
        (
            coded(
                'token = open("/home/ann/.config/forge/token").read()',
                TRACE + "FileNotFoundError: [Errno 2] No such file or directory: '/home/ann/.config/forge/token'",
                failed=True,
            ),
            coded(
                f'import requests\ntoken = open("/home/ann/.secrets/forge-token").read()\nrequests.get("{USER}")', "200"
            ),
        ),
    ],
)
def test_a_token_that_lies_elsewhere_is_found_at_once(acts: tuple[Act, ...]) -> None:
    assert learned(*acts, said="I see.") == [ELSEWHERE]


def test_a_file_of_variables_that_brings_the_token_is_named() -> None:
    refused = did(f'curl -s {USER} -H "Authorization: token $FORGE_TOKEN"', '{"message":"token is required"}')
    loaded = did(f'source /opt/press/.env && curl -s {USER} -H "Authorization: token $FORGE_TOKEN"', "{}")
    (told,) = learned(refused, loaded, said="I see.")
    assert (
        told == "a refusal at `curl …/user` here means a missing token; it worked with the token in `/opt/press/.env`."
    )


def test_a_file_that_was_read_and_did_not_help_is_not_said_to_be_the_token() -> None:
    lost = did("cat ~/.config/forge/token", GONE, 1)
    read, refused = did("cat ~/.secrets/old-token", "x"), did("tea pr list", "HTTP 401: no", 1)
    assert learned(lost, read, refused, said="I see.") == []


def test_the_token_of_another_service_is_not_that_which_was_looked_for() -> None:
    lost, read = did("cat ~/.config/forge/token", GONE, 1), did("cat ~/.npm/publish-token", "x")
    assert learned(lost, read, did("npm publish", "+ press"), said="I see.") == []


def test_a_file_without_a_token_is_nothing_here() -> None:
    lost = did("cat ~/.config/forge/rows.md", "cat: /home/ann/.config/forge/rows.md: No such file or directory", 1)
    assert learned(lost, did("cat ~/rows.md", "x"), did("tea pr list", "4"), said="I see.") == []


ITEMS = "https://press.example/api/v2/items"
SLASH = "`/api/v2/items` answers HTTP 404 here; it is found with a slash at its end, `/api/v2/items/`."


@pytest.mark.parametrize(
    "acts",
    [
        (did(f"curl -s {ITEMS}", '{"detail":"Not Found"}'), did(f"curl -s {ITEMS}/", "[]")),
        (did(f"curl -s -o /dev/null -w '%{{http_code}}' {ITEMS}?row=1", "404"), did(f"curl -s {ITEMS}/?row=1", "[]")),
        (
            did(f"curl -f {ITEMS}", "curl: (22) The requested URL returned error: 404", 22),
            did(f"curl -f {ITEMS}/", "[]"),
        ),
        (
            coded(f'import requests\nprint(requests.get("{ITEMS}").status_code)', "404"),
            coded(f'import requests\nprint(requests.get("{ITEMS}/").status_code)', "200"),
        ),
        (did(f"curl -s {ITEMS} | jq .", '{\n  "detail": "Not Found"\n}'), did(f"curl -s {ITEMS}/ | jq .", "[]")),
        (did("curl -s $PRESS/api/v2/items", "404 page not found"), did("curl -s $PRESS/api/v2/items/", "[]")),
        (
            did(f"http POST {ITEMS} row=1", "HTTP/1.1 404 Not Found", 4),
            did(f"http POST {ITEMS}/ row=1", "HTTP/1.1 201 Created"),
        ),
    ],
)
def test_an_address_that_needs_its_last_slash_is_known(acts: tuple[Act, ...]) -> None:
    assert learned(*acts, said="I see.") == [SLASH]


def test_numbers_in_an_address_are_those_of_one_time() -> None:
    acts = (did(f"curl -s {ITEMS}/7/rows", "404"), did(f"curl -s {ITEMS}/7/rows/", "[]"))
    (told,) = learned(*acts, said="I see.")
    assert "`/api/v2/items/…/rows/`" in told


@pytest.mark.parametrize(
    "acts",
    [
        (
            did(f"curl -s {ITEMS}", "404"),
            did("make start", "ok"),
            did(f"curl -s {ITEMS}", "[]"),
            did(f"curl -s {ITEMS}/", "[]"),
        ),
        (did(f"curl -s {ITEMS}", "404"), edited("routes.py"), did(f"curl -s {ITEMS}/", "[]")),
        (did(f"curl -s {ITEMS}", "404"), did("docker compose restart", "ok"), did(f"curl -s {ITEMS}/", "[]")),
        (did(f"curl -s {ITEMS}", "404"), did(f"curl -s -X POST {ITEMS}/ -d @x", "{}"), did(f"curl -s {ITEMS}/", "[]")),
        (did(f"curl -s {ITEMS}", "404"), did(f"curl -s {ITEMS}/", "404")),
        (did(f"curl -s {ITEMS}", "404"), did(f"curl -s -X POST {ITEMS}/", "[]")),
        (did(f"curl -s {ITEMS}", "500"), did(f"curl -s {ITEMS}/", "[]")),
        (did(f"curl -s {ITEMS}", "404"), did(f"curl -s {ITEMS}2/", "[]")),
    ],
)
def test_where_a_slash_did_not_help_it_is_not_said_to(acts: tuple[Act, ...]) -> None:
    assert learned(*acts, said="I see.") == []
