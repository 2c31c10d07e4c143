"""What is set: `file` reads and checks `config.toml` and the logs that people have described beside it, `show` finds
out what applies and why, `set` changes it. `world.World` is what most functions of other rooms get: settings, folders
and the clock.
"""
