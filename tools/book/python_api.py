"""What `import bentpipe` offers, from its docstrings."""

import inspect

import bentpipe

INTRODUCTION = """# Python API

[Guide and examples](../guide/python.md).
"""


def page() -> str:
    """Return the page: every public name, and the public members of classes."""
    return "\n".join([INTRODUCTION, *map(_section, bentpipe.__all__)])


def _section(name: str) -> str:
    thing = getattr(bentpipe, name)
    parts = {f"bentpipe.{name}": thing}
    if inspect.isclass(thing):
        public = {member: value for member, value in vars(thing).items() if not member.startswith("_")}
        parts |= {f"{name}.{member}": value for member, value in public.items() if hasattr(value, "__get__")}
    return "\n".join(f"## {title}\n\n```text\n{_described(value)}\n```\n" for title, value in parts.items())


def _described(thing: object) -> str:
    called: object = getattr(thing, "__func__", thing)
    signature = ""
    if inspect.isfunction(called) or (inspect.isclass(called) and "__init__" in vars(called)):
        signature = f"{inspect.signature(called)}\n\n"
    return f"{signature}{inspect.getdoc(thing)}"
