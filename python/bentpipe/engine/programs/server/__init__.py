"""Web servers that are not ours: started for one run, with its page and its certificate, and watched."""

from bentpipe.engine.programs.server.adapter import PROGRAMS, Server, opened

__all__ = ["PROGRAMS", "Server", "opened"]
