"""The claims tables of docs/studies, from measured results."""
