"""Programs for developers: what writes files of the project, and what takes long to measure."""
