"""Tests judged by mutants: what the tests of a crate do not notice when its code is changed."""
