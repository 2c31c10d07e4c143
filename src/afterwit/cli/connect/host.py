"""The host that `connect` works on: this machine, as the command finds it."""

import os
import sys

from afterwit.cli.itself import own_command
from afterwit.cli.options import Here
from afterwit.usecases.schedule import Host


def this_host(here: Here) -> Host:
    uid = os.getuid() if sys.platform != "win32" else 0
    return Host(here.world.environ, sys.platform, here.world.user_home, uid, own_command())
