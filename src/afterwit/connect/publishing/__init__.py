"""What leaves for agents as files: skill folders and blocks, written into places that belong to others, and taken back.

`foreign_files` looks at files and replaces them whole; `skill_folders` is the one way in which skills are written.
"""
