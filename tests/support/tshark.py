"""Captures as tshark sees them; any complaint of its own fails a test."""

import shutil

import pytest

from tools.third_party.tshark import CLIENT, SERVER, dissected, tshark

__all__ = ["CLIENT", "SERVER", "dissected", "needs_tshark", "tshark"]

needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")
