"""Files with tests, by their paths."""

import pytest
from tests.every import for_every

from afterwit.model.text import is_test, names_of_tests


@for_every(
    "path",
    [
        "tests/press.py",
        "test_press.py",
        "cider/press_test.go",
        "web/press.test.tsx",
        "web/press.spec.ts",
        "src/PressTest.java",
        "src/PressSpec.scala",
        "web/__tests__/press.js",
        "e2e/press.ts",
    ],
)
def test_files_of_tests_are_told_by_folder_or_name(path: str) -> None:
    assert is_test(path)


@pytest.mark.parametrize("path", ["press.py", "contest.py", "latest/press.py", "tests/README.md", "attest.go", ""])
def test_other_files_are_no_tests(path: str) -> None:
    assert not is_test(path)


@pytest.mark.parametrize("test", ["test_press.py", "press_test.py", "press.test.py", "presstest.py", "press-test.py"])
def test_the_names_of_tests_are_those_of_the_usual_forms(test: str) -> None:
    assert test in names_of_tests("cider/Press.py")
    assert is_test(test) or test == "presstest.py"


def test_a_file_without_an_ending_has_no_names_of_tests() -> None:
    assert names_of_tests("Makefile") == []
    assert names_of_tests(".env") == []
