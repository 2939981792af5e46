"""A scenario as its author writes it, in a file."""

PAGE_LOADS = """
name = "example"
repetitions = 2
[run]
link = "lan"
page = "single-100k"
[matrix]
http = ["h1", "h3"]
"""
"""A small page by two protocols, twice each."""
