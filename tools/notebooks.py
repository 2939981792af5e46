"""Runs the notebooks of docs/notebooks from a clean kernel and writes their outputs: `make notebooks`."""

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "docs/notebooks"
KERNEL = "python3"
TIMEOUT_S = 300
"""For a cell, on a machine that does other things too."""
TABLE_WIDTH = 100
"""Of frames as text, which would else be as wide as the terminal of whoever runs this."""


def notebooks() -> list[Path]:
    """Return the notebooks of the documentation."""
    return sorted(FOLDER.glob("*.ipynb"))


def executed(path: Path, folder: Path) -> Any:
    """Return a notebook as a clean kernel leaves it; results and the kernel's own files go into `folder`.

    What differs from run to run, such as times and versions, is not in it.
    """
    notebook = nbformat.read(path, as_version=nbformat.NO_CONVERT)  # type: ignore[no-untyped-call]
    # By a socket in the folder: nobody else on this machine can listen to it.
    kernel = KernelManager(
        kernel_name=KERNEL,
        connection_file=str(folder / "kernel.json"),
        transport="ipc",
        ip=str(folder / "kernel"),
    )
    client = NotebookClient(
        notebook,
        km=kernel,
        timeout=TIMEOUT_S,
        record_timing=False,
        resources={"metadata": {"path": str(folder)}},
    )
    own = {"IPYTHONDIR": str(folder / "ipython"), "POLARS_TABLE_WIDTH": str(TABLE_WIDTH)}
    try:
        client.execute(env={**os.environ, **own})
    finally:
        kernel.shutdown_kernel(now=True)
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": KERNEL},
        "language_info": {"name": "python"},
    }
    return notebook


def main() -> None:
    """Write every notebook, or those that are named, with the outputs of now."""
    for path in map(Path, sys.argv[1:] or notebooks()):
        with tempfile.TemporaryDirectory() as folder:
            notebook = executed(path, Path(folder))
        nbformat.write(notebook, path)  # type: ignore[no-untyped-call]
        print(path)


if __name__ == "__main__":
    main()
