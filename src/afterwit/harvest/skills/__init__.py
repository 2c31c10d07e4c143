"""Skills: where sessions use them, what follows, and how that compares with moments without them."""
