"""The tools that agents call. `desk` knows which module has which; each module has its tools in `TOOLS`."""
