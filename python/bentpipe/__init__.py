"""Bentpipe: how fast is the web over this satellite link, with this protocol, and why?"""

__version__ = "0.1.0"
