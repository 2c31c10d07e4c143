"""Whether fixes are guarded: which commits fixed something, whether their tests are red without them, and what to do
where they are not."""
