"""What stands below the attributes of a class and the constants of a module: texts that Python itself drops.

Pydantic takes the description of a field for what is expected of its value, so its meaning is such a text.
"""

import ast
import inspect
from functools import cache
from itertools import pairwise
from types import ModuleType


@cache
def of_class(schema: type) -> dict[str, str]:
    """Return by attribute the text below it, those of base classes included."""
    found: dict[str, str] = {}
    for base in reversed(schema.__mro__):
        module = inspect.getmodule(base)
        if module is not None and (node := _classes(module).get(base.__name__)) is not None:
            found |= _texts(node.body)
    return found


@cache
def of_module(module: ModuleType) -> dict[str, str]:
    """Return by constant the text below it."""
    return _texts(_tree(module).body)


@cache
def _classes(module: ModuleType) -> dict[str, ast.ClassDef]:
    try:
        tree = _tree(module)
    except (OSError, TypeError):  # Of `object` and of what is compiled there is no source.
        return {}
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def _tree(module: ModuleType) -> ast.Module:
    return ast.parse(inspect.getsource(module))


def _texts(body: list[ast.stmt]) -> dict[str, str]:
    """Return the strings that follow assignments; one of two names has one text for both."""
    found: dict[str, str] = {}
    for node, following in pairwise(body):
        if (
            isinstance(following, ast.Expr)
            and isinstance(following.value, ast.Constant)
            and isinstance(following.value.value, str)
        ):
            found |= dict.fromkeys(_names(node), inspect.cleandoc(following.value.value))
    return found


def _names(node: ast.stmt) -> list[str]:
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    return [
        name.id
        for target in targets
        for name in (target.elts if isinstance(target, ast.Tuple) else [target])
        if isinstance(name, ast.Name)
    ]
