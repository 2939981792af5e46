"""`page = "dir:FOLDER"`. Expected values follow from the rules of docs/pages.md, by hand."""

import hashlib

import pytest

from bentpipe.errors import InputError
from bentpipe.scenario.page.folder import folder_page
from bentpipe.scenario.written.location import Location
from tools.specs import document_of

HERE = Location(file="scenario.toml", field="run.page")


@pytest.fixture
def folder(tmp_path):
    """Write files into a folder; its page is what `page` returns."""

    class Folder:
        path = tmp_path / "www"

        def write(self, **files):
            for name, content in files.items():
                self.file(name, content)
            return self

        def file(self, name, content):
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
            return self

        def page(self, index):
            self.file("index.html", index)
            return folder_page(self.path, HERE, name="dir:www")

        def loaded(self, index):
            return [item["path"] for item in self.page(index)["objects"]]

    return Folder()


def digest(content):
    return hashlib.sha256(content).hexdigest()


def test_a_page_is_its_index_and_what_it_names_with_length_kind_and_digest(folder):
    folder.file("a.png", b"12345").file("css/b.css", b"x{}").file("unused.js", b"")
    index = '<!doctype html><link rel=stylesheet href="css/b.css"><img src="/a.png">'
    root = str(folder.path)
    assert folder.page(index) == {
        "name": "dir:www",
        "document_bytes": len(index),
        "document": {"folder": root, "name": "index.html", "sha256": digest(index.encode())},
        "objects": [
            {
                "path": "/css/b.css",
                "bytes": 3,
                "kind": "style",
                "file": {"folder": root, "name": "css/b.css", "sha256": digest(b"x{}")},
            },
            {
                "path": "/a.png",
                "bytes": 5,
                "file": {"folder": root, "name": "a.png", "sha256": digest(b"12345")},
            },
        ],
    }


@pytest.mark.parametrize(
    ("markup", "loaded"),
    [
        ('<script src="x.js"></script>', ["/x.js"]),
        ('<script type="module" src="x.js"></script>', ["/x.js"]),
        ('<script type="text/template" src="x.js"></script>', []),
        ('<script nomodule src="x.js"></script>', []),
        ('<link rel="preload stylesheet" href="x.css">', ["/x.css"]),
        ('<link rel="modulepreload" href="x.js">', ["/x.js"]),
        ('<link rel="icon" href="x.png"><link rel="prefetch" href="x.js">', []),
        ('<img srcset="x.png 1x, y.png 2x">', ["/x.png"]),
        ('<img src="y.png" srcset="x.png 2x">', ["/y.png"]),
        (
            '<picture><source srcset="x.png"><img src="y.png"></picture><img src="y.png">',
            ["/x.png", "/y.png"],
        ),
        ('<picture><source media="print" srcset="x.png"><img src="y.png"></picture>', ["/y.png"]),
        (
            '<img loading=lazy src="x.png"><img src="y.png"><iframe loading=lazy src="sub/z.png"></iframe>',
            ["/x.png", "/y.png", "/sub/z.png"],
        ),
        ('<video poster="x.png" src="big.mp4"></video>', ["/x.png"]),
        ('<input type="image" src="x.png"><input type="text" src="y.png">', ["/x.png"]),
        ('<object data="x.png"></object>', ["/x.png"]),
        ("<style>h1 { background: url('x.png') }</style>", ["/x.png"]),
        ('<p style="background:url(x.png)">', ["/x.png"]),
        ('<script type="module">import "./x.js"</script>', ["/x.js"]),
        ('<noscript><img src="x.png"></noscript><template><img src="x.png"></template>', []),
        ('<!-- <img src="x.png"> --><img src="y.png">', ["/y.png"]),
        ('<img src="x.png"><img src="./x.png#top"><img src="x.png?v=2">', ["/x.png", "/x.png?v=2"]),
        ('<base href="sub/"><img src="z.png">', ["/sub/z.png"]),
        ('<img src="sub/../x.png">', ["/x.png"]),
        ('<img src="../../x.png">', ["/x.png"]),
        ('<img src="with space.png">', ["/with%20space.png"]),
        ('<img src="with%20space.png">', ["/with%20space.png"]),
        (
            '<img src="data:image/png;base64,AA"><img src="https://b.example/x.png"><img src="//b.example/">',
            [],
        ),
        ('<a href="missing.html">no part of the load</a><img><img src="">', []),
    ],
)
def test_what_is_loaded_of(folder, markup, loaded):
    for name in ("x.js", "x.css", "x.png", "y.png", "big.mp4", "sub/z.png", "with space.png"):
        folder.file(name, b"content")
    assert folder.loaded(markup) == loaded


def test_styles_scripts_and_frames_name_others_which_come_after_them(folder):
    folder.file(
        "a.css",
        '@import "b.css"; @font-face { src: url(none.eot), url(f.woff2) format("woff2"), url(g.woff) }',
    )
    folder.file("b.css", "/* url(unused.png) */ h1 { background: url(img/i.png) }")
    folder.file("m.js", 'import x from "./n.js"; const l = () => import("./lazy.js"); fetch("data.json")')
    folder.file("frame/index.html", '<img src="../img/i.png"><img src="j.png">')
    for name in (
        "f.woff2",
        "g.woff",
        "img/i.png",
        "unused.png",
        "n.js",
        "lazy.js",
        "data.json",
        "frame/j.png",
    ):
        folder.file(name, b"content")
    index = (
        '<link rel=stylesheet href=a.css><script type=module src=m.js></script><iframe src="frame/"></iframe>'
    )
    objects = folder.page(index)["objects"]
    causes = {item["path"]: objects[item["after"]]["path"] if "after" in item else None for item in objects}
    assert causes == {
        "/a.css": None,
        "/m.js": None,
        "/frame/": None,
        "/b.css": "/a.css",
        "/f.woff2": "/a.css",
        "/n.js": "/m.js",
        "/lazy.js": "/m.js",
        "/data.json": "/m.js",
        "/img/i.png": "/frame/",
        "/frame/j.png": "/frame/",
    }
    kinds = {item["path"]: item.get("kind", "image") for item in objects}
    assert (kinds["/frame/"], kinds["/f.woff2"], kinds["/data.json"]) == ("other", "font", "other")


def test_circles_end(folder):
    folder.file("a.css", '@import "b.css";').file("b.css", '@import "a.css"; @import "index.html";')
    assert folder.loaded('<link rel=stylesheet href=a.css><iframe src="index.html">') == ["/a.css", "/b.css"]


def test_a_file_that_is_named_and_not_there_is_refused(folder):
    with pytest.raises(InputError) as caught:
        folder.page('<img src="gone.png">')
    assert (caught.value.file, caught.value.field) == (str(folder.path), "index.html")
    assert caught.value.found == '"gone.png"'


def test_what_leads_out_of_the_folder_is_refused(folder, tmp_path):
    (tmp_path / "secret.png").write_bytes(b"secret")
    folder.path.mkdir()
    (folder.path / "x.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(InputError, match=r"x.png: expected a file inside the folder, found a way out of it"):
        folder.page('<img src="x.png">')


def test_a_link_within_the_folder_and_a_folder_that_is_a_link_are_followed(folder, tmp_path):
    folder.file("x.png", b"content").file("index.html", '<img src="y.png">')
    (folder.path / "y.png").symlink_to("x.png")
    (tmp_path / "link").symlink_to(folder.path)
    [item] = folder_page(tmp_path / "link", HERE, name="x")["objects"]
    assert item["file"]["name"] == "y.png"
    assert item["bytes"] == len(b"content")


def test_a_circle_of_links_is_no_file(folder):
    folder.path.mkdir()
    (folder.path / "x.png").symlink_to("x.png")
    with pytest.raises(InputError, match=r"files that are in the folder"):
        folder.page('<img src="x.png">')


@pytest.mark.parametrize(
    ("prepare", "expected", "found"),
    [
        (lambda _: None, "a folder", "No such file or directory"),
        (lambda path: path.write_text(""), "a folder", "a file"),
        (lambda path: path.symlink_to(path), "a folder", ""),
        (lambda path: path.mkdir(), "a file", "none"),
        (lambda path: (path / "index.html").mkdir(parents=True), "a file", "none"),
    ],
    ids=["missing", "a file", "a circle", "empty", "with a folder in its place"],
)
def test_a_folder_without_an_index_is_refused(tmp_path, prepare, expected, found):
    prepare(tmp_path / "www")
    with pytest.raises(InputError) as caught:
        folder_page(tmp_path / "www", HERE, name="x")
    assert caught.value.expected == expected
    assert found in caught.value.found


def test_a_scenario_names_a_folder_by_its_path_from_the_scenarios_own(folder):
    folder.file("x.png", b"content").file("index.html", '<img src="x.png">')
    page = document_of({"link": "lan", "http": "h2", "page": f"dir:{folder.path}"})["workload"]["page"]
    assert page["name"] == f"dir:{folder.path}"
    assert [item["path"] for item in page["objects"]] == ["/x.png"]


def test_a_file_with_many_names_is_read_once(folder, monkeypatch):
    read = []
    digest_of = hashlib.file_digest

    def noting(file, kind):
        read.append(file.name)
        return digest_of(file, kind)

    folder.file("a.png", b"12345")
    for number in range(5):
        (folder.path / f"{number}.png").symlink_to("a.png")
        (folder.path / f"hard-{number}.png").hardlink_to(folder.path / "a.png")
    monkeypatch.setattr(hashlib, "file_digest", noting)
    names = [f"{kind}{number}.png" for kind in ("", "hard-") for number in range(5)]
    page = folder.page("".join(f"<img src={name}>" for name in names))
    assert [item["bytes"] for item in page["objects"]] == [5] * 10
    # The index, and the picture.
    assert len(read) == 2


def test_no_more_is_read_than_a_page_may_have_also_of_what_is_not_loaded(folder, monkeypatch):
    monkeypatch.setattr("bentpipe.scenario.page.folder.LARGEST_PAGE_BYTES", 100)
    folder.file("a.woff2", b"x" * 40).file("b.woff", b"x" * 40)
    # 55 bytes and 40, then 40 more.
    index = "<style>@font-face{src:url(a.woff2),url(b.woff)}</style>"
    with pytest.raises(InputError, match=r"b\.woff: expected at most 100 B in all, found 135 B"):
        folder.page(index)
