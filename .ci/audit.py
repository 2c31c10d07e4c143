"""Looks up every locked dependency in PyPI's database of advisories, with pip-audit.

    python .ci/audit.py requirements-dev.txt

Exits 1 where an advisory names a locked version, and lists them with the version that mends each. Where the database
cannot be reached, or does not know the packages (a mirror without advisories), it says that nothing was audited and
exits 0: a machine without a network can still check everything else.
"""

import json
import subprocess
import sys
from typing import Any

_LIMIT_SECONDS = 180


def main(lock: str) -> int:
    options = ("--disable-pip", "--format", "json", "--progress-spinner", "off", "--timeout", "10")
    command = (sys.executable, "-m", "pip_audit", "--requirement", lock, *options)
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return _not_audited(f"no answer within {_LIMIT_SECONDS} s")
    try:
        packages: list[dict[str, Any]] = json.loads(ran.stdout)["dependencies"]
    except (json.JSONDecodeError, KeyError):
        return _not_audited(ran.stderr.strip().rpartition("\n")[2])
    audited = [package for package in packages if "skip_reason" not in package]
    if not audited:
        return _not_audited("it knows none of the packages")
    return _verdict(audited, len(packages))


def _verdict(audited: list[dict[str, Any]], total: int) -> int:
    vulnerable = [package for package in audited if package["vulns"]]
    for package in vulnerable:
        for advisory in package["vulns"]:
            mended = ", ".join(advisory["fix_versions"]) or "no version yet"
            print(f"{package['name']} {package['version']}: {advisory['id']}, mended in {mended}")
    print(f"Dependencies: {len(audited)} of {total} audited, {len(vulnerable)} with advisories.")
    return 1 if vulnerable else 0


def _not_audited(reason: str) -> int:
    print(f"Dependencies: NOT audited, because no database of advisories could be reached ({reason}).")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
