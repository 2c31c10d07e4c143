"""For all tests: no timing decides one of them, so Hypothesis sets no deadline and judges no speed."""

from hypothesis import HealthCheck, settings

settings.register_profile("no clock", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("no clock")
