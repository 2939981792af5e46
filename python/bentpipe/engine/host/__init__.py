"""The machine under the testbed: what it can do, and whether it keeps up."""
