"""A notebook with its outputs as a page."""

import base64
from collections.abc import Iterator
from pathlib import Path

import nbformat
from nbformat import NotebookNode

KINDS = ("image/svg+xml", "image/png", "text/html", "text/plain")
"""Of an output the first one of these that it has is shown."""


def page(path: Path) -> str:
    """Return the cells as Markdown: text as it is, code in blocks, below each its outputs."""
    notebook: NotebookNode = nbformat.reads(path.read_text(), as_version=4)  # type: ignore[no-untyped-call]
    return "\n\n".join(part for cell in notebook.cells for part in _cell(cell)) + "\n"


def _cell(cell: NotebookNode) -> Iterator[str]:
    if cell.cell_type == "markdown":
        yield str(cell.source).replace(".ipynb)", ".md)")
        return
    yield f"```python\n{cell.source}\n```"
    for output in cell.get("outputs", ()):
        if output.output_type == "stream":
            yield f"```text\n{output.text.rstrip()}\n```"
        elif "data" in output:
            yield _shown(output.data)


def _shown(data: NotebookNode) -> str:
    kind = next((kind for kind in KINDS if kind in data), None)
    if kind == "image/svg+xml":
        encoded = base64.b64encode(data[kind].encode()).decode()
        return f'<img alt="Figure" src="data:{kind};base64,{encoded}">'
    if kind == "image/png":
        return f'<img alt="Figure" src="data:{kind};base64,{data[kind].strip()}">'
    if kind == "text/html":
        return f"<div>{' '.join(data[kind].split())}</div>"
    return f"```text\n{data[kind]}\n```" if kind else ""
