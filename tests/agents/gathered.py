"""What is read of a session in a database fixture, for the tests of readers that read such sessions."""

from tests.agents.contract_cases import Case, all_cases, read

from afterwit.model.readings import Reading


def case_of(agent: str, name: str, session: str) -> Case:
    """The case of one session of one fixture."""
    return next(
        case
        for case in all_cases()
        if (case.agent, case.name) == (agent, name) and case.rendered and case.rendered.stem == session
    )


def readings_of(agent: str, name: str, session: str) -> list[Reading]:
    case = case_of(agent, name, session)
    return read(case.start(), case.data)
