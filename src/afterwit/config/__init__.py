"""What is set: `file` reads and checks `config.toml`, `show` finds out what applies and why, `source` keeps the logs
that people have described. `world.World` is what most functions of other rooms get: settings, folders and the clock.
"""
