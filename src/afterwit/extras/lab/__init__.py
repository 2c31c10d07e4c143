"""Views over what recurs and what helped: patterns, skills, templates."""
