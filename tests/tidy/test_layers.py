"""The import contracts cover the whole package, and of `scenario` all rooms (`lint-imports` checks them)."""

import pytest

from tests.tidy.project import ROOT, toml

CONTRACTS = toml("pyproject.toml")["tool"]["importlinter"]["contracts"]
LAYERS = [contract["layers"] for contract in CONTRACTS if contract["type"] == "layers"]
# Beside the layers: the compiled shell of the crates, and what every layer may ask for.
OUTSIDE = {"_core"}


@pytest.mark.parametrize("package", ["bentpipe", "bentpipe.scenario"])
def test_every_module_of_the_package_stands_in_a_layer(package: str) -> None:
    folder = ROOT / "python" / package.replace(".", "/")
    folders = {path.parent.name for path in folder.glob("*/__init__.py")}
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__", "__main__"}
    layered = {
        name.strip() for layers in LAYERS for layer in layers for name in layer.replace(":", "|").split("|")
    }
    own = {name.removeprefix(f"{package}.") for name in layered if name.rpartition(".")[0] == package}
    assert folders | modules == own - OUTSIDE
