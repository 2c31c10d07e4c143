"""Names of users that say of nobody who it is: accounts that systems, containers and services make, and example names.

They stay readable where names of people are replaced. As the user of a session they name nobody: whoever works in a
container does so as `vscode` or `root`. Two of the example names are first names as well, and count as people there.
"""

# Accounts and home folders of no person.
_ACCOUNTS = """
root runner runneradmin ubuntu user users username shared public guest default vscode node coder codespace gitpod
git test tests tester testuser me you name admin administrator app dev developer debian centos fedora alpine
ec2-user azureuser vagrant jenkins circleci travis builder build worker agent sandbox browser container docker
linuxbrew nobody www-data nonroot jovyan deploy ci bot x someone other foo bar example demo your-name yourname
your-username youruser your_user alice bob all
"""
ACCOUNTS = frozenset(_ACCOUNTS.split())
_FIRST_NAMES = frozenset(("alice", "bob"))


def is_person(user: str) -> bool:
    """Whether the user of a session names somebody who can be told from others."""
    return bool(user) and (user.casefold() not in ACCOUNTS or user.casefold() in _FIRST_NAMES)
