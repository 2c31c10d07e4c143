"""Whether an address is this machine."""

import ipaddress


def is_this_machine(host: str) -> bool:
    """A loopback address, a socket in the file system, or nothing at all."""
    name = host.strip("[]").lower()
    if not name or name.startswith(("/", "@")) or name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
