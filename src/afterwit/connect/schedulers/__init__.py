"""What each scheduler of a user wants: a systemd timer, a launch agent, a block of the crontab.

Pure: `connect.schedule` reads what is in place and carries the steps out.
"""
