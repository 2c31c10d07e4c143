"""What a session would be told: the block at the start of one in a repository, and the one for a task that is typed."""

from pathlib import Path

from afterwit.recall.recall import recalled
from afterwit.web.answering import Ask, WebAnswer, WebRoute, shown
from afterwit.web.pages.sessions import choices


def _blocks(ask: Ask) -> WebAnswer:
    repo, agent, task = ask.first("repo"), ask.first("agent"), ask.first("task")
    blocks = recalled(ask.world, Path("/"), repo, agent, task, None) if repo else None
    return shown(ask, "blocks.html", blocks=blocks, repo=repo, agent=agent, task=task, choices=choices(ask))


ROUTES = (WebRoute("/knowledge/told", _blocks),)
