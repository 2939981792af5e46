"""What `bentpipe.stats` offers to editors and what it imports on demand."""

import ast
from pathlib import Path

from bentpipe import stats


def test_the_stub_offers_what_the_package_has():
    tree = ast.parse((Path(stats.__path__[0]) / "__init__.pyi").read_text())
    (offered,) = [ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign)]
    assert set(offered) == set(stats.__all__)
    for name in offered:
        getattr(stats, name)
