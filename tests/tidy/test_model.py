"""The classes of the seam are those of its JSON schemas: `make model` writes them."""

from pathlib import Path

from tools import generate_model


def test_the_generated_modules_are_those_of_the_schemas(tmp_path: Path) -> None:
    generate_model.generate(tmp_path)
    drafts = [f"draft/{module}.py" for module in generate_model.DRAFTS]
    for name in [*(f"{module}.py" for module in generate_model.MODULES), *drafts]:
        assert (tmp_path / name).read_text() == (generate_model.PACKAGE / name).read_text(), "make model"
