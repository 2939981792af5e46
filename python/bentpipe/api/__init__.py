"""Bentpipe from Python, what `import bentpipe` offers: beside the command line, over the same code."""
