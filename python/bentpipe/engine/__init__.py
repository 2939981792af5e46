"""Engines measure one run: a run's spec goes in, its record comes out."""
