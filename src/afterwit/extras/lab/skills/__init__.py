"""Skills as people look at them: which are used and what follows (`list`, `show`), which go together (`pairs`), and
which got better or worse (`trends`).

What is counted was seen by the harvester of skills; its one door to the store is `figures.skill_history`.
"""
