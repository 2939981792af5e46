"""The pages of docs/questions: what a setting changes, over which orbit, by how much."""
