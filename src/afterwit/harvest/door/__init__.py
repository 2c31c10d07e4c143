"""Where harvesters meet the store: which digests they see, and what becomes of their sightings."""
