"""The files of the page, without a browser."""

import re
from importlib.resources import files

from bentpipe.workbench.static_files import static_files

STATIC = files("bentpipe.workbench").joinpath("static")


def test_every_file_of_the_page_is_served_and_none_besides(server):
    for path, file in static_files().items():
        answer = server.get(path, Authorization=None)
        assert (answer.status, answer.body) == (200, file.content)
        assert answer.headers["content-type"] == file.kind


def test_every_script_that_another_one_imports_is_served():
    served = static_files()
    for path, file in served.items():
        if path.endswith(".js") and "vendor" not in path:
            imported = re.findall(r'from "\./([^"]+)"', file.content.decode())
            assert {f"/{name}" for name in imported} <= served.keys()


def test_the_document_has_no_script_or_style_in_it():
    document = static_files()["/"].content.decode()
    assert not re.search(r"<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=", document)
    assert not re.search(r'(src|href)="(?:https?:)?//', document)


def test_what_is_of_others_has_its_licence_beside_it():
    vendor = STATIC.joinpath("vendor")
    assert "The MIT License" in vendor.joinpath("LICENSE").read_text()
    assert "(v1.6.32)" in vendor.joinpath("uPlot.iife.min.js").read_text()[:100]
