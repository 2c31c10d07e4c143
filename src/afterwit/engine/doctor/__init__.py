"""Whether capture still sees what it should, and whether the store is sound. The door is `doctor.examine`.

Figures come from `agent_health`, `reader_health` and `store_health`, sentences from `agent_findings` and `findings`.
`audit_secrets` looks for secrets with another program; `fault_report` writes down faults of our own.
"""
