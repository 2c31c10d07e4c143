"""Where entries of user memory can be kept. `backend` is the interface, `queue` keeps writes while one fails."""
