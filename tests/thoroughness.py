"""How thoroughly tests look. `make test` takes the short form of what is costly, `make whole` and CI the whole.

The whole is asked for by AFTERWIT_TESTS=whole. In the short form properties are tried with an eighth of their examples,
loops over every step at which a process can be killed take every fifth, and tests marked `slow` or `server` are left
out, unless they are named.
"""

import os

IS_WHOLE = os.environ.get("AFTERWIT_TESTS") == "whole"
STRIDE = 1 if IS_WHOLE else 5  # of loops over every step, every cut, every field
_FEWEST_EXAMPLES = 5


def examples(count: int) -> int:
    """How many examples a property is tried with that deserves so many."""
    return count if IS_WHOLE else max(_FEWEST_EXAMPLES, count // 8)
