"""Specifications as Rust reads them: the shapes of what is resolved, named as the crates name theirs.

A specification is JSON on its way to `_core`, so each is a dictionary of known keys (`TypedDict`).
`tests/scenario/test_spec.py` holds them against Rust's own schema.
"""
