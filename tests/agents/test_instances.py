import pytest

from afterwit.agents.fields import remote_of


@pytest.mark.parametrize(
    ("instance", "remote"),
    [
        ("octo-org__tool-1234", "github.com/octo-org/tool"),
        ("octo-org__my-tool-12", "github.com/octo-org/my-tool"),
        ("octo__dot.net-1", "github.com/octo/dot.net"),
        ("tool-1234", ""),
        ("octo__tool", ""),
        ("", ""),
    ],
)
def test_the_name_of_a_task_names_its_repository(instance: str, remote: str) -> None:
    assert remote_of(instance) == remote
