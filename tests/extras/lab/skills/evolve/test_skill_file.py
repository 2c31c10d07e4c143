"""What a skill's text names: commands of shell blocks and in backticks, and paths."""

from afterwit.extras.lab.skills.evolve.verify import commands_in, head_of, paths_in

TEXT = """---
name: press
description: Use `make nothing` here.
---

# Press

Run `make lint` and then `src/press.py`, never `press`.

- `git push origin HEAD`
- look at `docs/rows/one.md` and `/etc/passwd`

```bash
# a comment
$ npm run build -- --fast
pytest <path>
```

```python
make("lint")
```
"""


def test_commands_stand_in_shell_blocks_and_in_backticks() -> None:
    assert [named.text for named in commands_in(TEXT)] == [
        "make lint",
        "git push origin HEAD",
        "npm run build -- --fast",
        "pytest <path>",
    ]


def test_lines_that_are_nothing_but_a_command_are_known() -> None:
    assert [named.is_alone for named in commands_in(TEXT)] == [False, True, True, True]


def test_of_a_command_with_a_gap_only_what_comes_before_it_is_fixed() -> None:
    last = commands_in(TEXT)[-1]
    assert (last.beginning, last.is_open) == ("pytest", True)


def test_paths_are_those_inside_the_repository() -> None:
    assert paths_in(TEXT) == ["src/press.py", "docs/rows/one.md"]


def test_the_head_is_what_agents_choose_by() -> None:
    assert head_of(TEXT).splitlines()[-1] == "---"
    assert head_of("# Press\n") == ""
