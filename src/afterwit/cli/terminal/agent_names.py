"""Names of agents on the command line: those that are built in, and those that people have declared.

What is declared is known only when the configuration is read, so an option takes any name, and the command checks it.
"""

from collections.abc import Iterable
from typing import Any

import click

from afterwit.agents.declared.description import Description
from afterwit.agents.registry import AGENTS, agents_with


class AgentName(click.Choice):  # type: ignore[type-arg]
    """Help and completion offer what is built in."""

    def __init__(self) -> None:
        super().__init__([agent.name for agent in AGENTS])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        return value


def refuse_unknown(names: Iterable[str], declared: Iterable[Description], option: str) -> None:
    known = [agent.name for agent in agents_with(declared)]
    for name in names:
        if name not in known:
            listed = ", ".join(repr(each) for each in sorted(known))
            raise click.BadParameter(f"{name!r} is not one of {listed}.", param_hint=f"'{option}'")
