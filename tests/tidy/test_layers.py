"""The import contract covers the whole package (`lint-imports` checks the contract itself)."""

from tests.tidy.project import ROOT, toml

CONTRACTS = toml("pyproject.toml")["tool"]["importlinter"]["contracts"]
# Beside the layers: the compiled shell of the crates, and what every layer may ask for.
OUTSIDE = {"_core"}


def test_every_module_of_the_package_stands_in_a_layer() -> None:
    package = ROOT / "python/bentpipe"
    folders = {path.parent.name for path in package.glob("*/__init__.py")}
    modules = {path.stem for path in package.glob("*.py")} - {"__init__", "__main__"}
    layered = {
        name.strip().removeprefix("bentpipe.")
        for contract in CONTRACTS
        if contract["type"] == "layers"
        for layer in contract["layers"]
        for name in layer.replace(":", "|").split("|")
    }
    assert folders | modules == layered - OUTSIDE
