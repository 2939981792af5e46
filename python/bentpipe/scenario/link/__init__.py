"""Links: from tables as written to specifications of both directions."""
