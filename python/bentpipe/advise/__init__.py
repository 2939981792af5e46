"""Advice: which protocol, congestion control and settings load a page fastest over a link."""
