#!/bin/sh
# Calls afterwit where it is installed; without it there is nothing to say, and the agent goes on.
name=$1
shift
for place in "$(command -v "$name" 2>/dev/null)" "$HOME/.local/bin/$name" "$HOME/.venvs/afterwit/bin/$name"; do
  if [ -x "$place" ]; then
    exec "$place" "$@"
  fi
done
exit 0
