"""The signature under which a fix for a failure is looked up.

Failures of the work itself get none: they are what the agent is working on. Nor does what passes by itself, what was
denied, or a wrong use of the agent's own tools, whose message says what to do. Recall, the backtest and hooks ask here,
so that they know a failure by the same name.
"""

from afterwit.actions.failures.failure_class import classify
from afterwit.actions.failures.signature import signature
from afterwit.actions.steps import Step
from afterwit.model.kinds import ActionKind, FailureClass

_ANSWERABLE = (FailureClass.INVOCATION, FailureClass.ENVIRONMENT, FailureClass.UNCLEAR)


def answerable_signature(step: Step) -> str:
    """As digests name the failure of a step; "" where nothing is to be said about it."""
    line = step.target if step.kind is ActionKind.SHELL else ""
    found = classify(step, line)
    return signature(step, found, line) if found in _ANSWERABLE else ""
