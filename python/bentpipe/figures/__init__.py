"""Figures: one per file, in one style. They draw what they are given and read no file."""
