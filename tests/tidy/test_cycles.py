"""No modules use each other in a circle, neither in a crate nor in the package."""

from graphlib import TopologicalSorter

import grimp
import pytest

from tests.tidy.project import ROOT, toml
from tests.tidy.rust_modules import dependencies

MEMBERS: list[str] = toml("Cargo.toml")["workspace"]["members"]


@pytest.mark.parametrize("member", MEMBERS)
def test_the_modules_of_a_crate_have_an_order(member: str) -> None:
    # Raises a CycleError that names the modules.
    TopologicalSorter(dependencies(ROOT / member / "src")).prepare()


def test_the_modules_of_the_package_have_an_order() -> None:
    graph = grimp.build_graph("bentpipe", cache_dir=None)
    TopologicalSorter(
        {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    ).prepare()


def test_the_reader_of_crates_follows_reexports_and_leaves_unit_tests_out(tmp_path) -> None:
    (tmp_path / "queue").mkdir()
    (tmp_path / "lib.rs").write_text("mod queue;\npub use queue::{Fifo, codel::Codel as Aqm};\n")
    (tmp_path / "queue/mod.rs").write_text("pub mod codel;\npub struct Fifo;\n")
    (tmp_path / "queue/codel.rs").write_text(
        "use super::Fifo;\n#[cfg(test)]\nmod tests { use crate::drop; }\n"
    )
    (tmp_path / "drop.rs").write_text("use crate::Aqm;\nfn f() { crate::Fifo }\n")
    assert dependencies(tmp_path) == {
        (): set(),
        ("queue",): set(),
        ("queue", "codel"): {("queue",)},
        ("drop",): {("queue", "codel"), ("queue",)},
    }
