"""Templates: tool calls of sessions that went well, each with its result, to begin another session with.

`load_template` reads a file that `afterwit templates export` wrote, and `seeded` puts it into the messages of a program
that speaks to a model itself, after the system messages. The rest is for the command.
"""

from afterwit.extras.lab.templates.files import load_template
from afterwit.extras.lab.templates.wire import WireFormat, seeded, template_messages
from afterwit.model.templates import Template

__all__ = ["Template", "WireFormat", "load_template", "seeded", "template_messages"]
