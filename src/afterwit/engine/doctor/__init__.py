"""Whether capture still sees what it should, and whether the store is sound. The door is `doctor.examine`.

Figures of agents come from `agent_health`, sentences from `doctor` and `findings`; `status` is the short look.
"""
