"""Hosts and paths of recorded URLs become names that servers, browsers and file systems take."""

import re
from pathlib import PurePosixPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bentpipe.scenario.page.names import LONGEST_PATH, file_paths, host_name
from bentpipe.scenario.written.vocabulary import OBJECT_KIND


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("www.News.example", "www.news.example"),
        ("www.news.example.", "www.news.example"),
        # RFC 3492: the name of a host in letters of other alphabets.
        ("bücher.example", "xn--bcher-kva.example"),
        ("my_bucket.s3.example", "my-bucket.s3.example"),
        # Browsers keep these on the machine itself, or know them by number alone.
        ("localhost", "localhost.example"),
        ("app.localhost", "app.localhost.example"),
        ("intranet", "intranet.example"),
        ("192.0.2.7", "ip-192-0-2-7.example"),
        ("2001:db8::7", "ip-2001-db8-7.example"),
        ("", "host.example"),
    ],
)
def test_a_host_becomes(written, name):
    assert host_name(written) == name


@pytest.mark.parametrize(
    ("path", "kind", "name"),
    [
        ("/img/a%20b.png", "image", "/img/a-b.png"),
        ("", "other", "/index.bin"),
        ("/blog/", "other", "/blog/index.bin"),
        ("/../../etc/passwd", "other", "/etc/passwd.bin"),
        ("/a//./b.js", "script", "/a/b.js"),
        ("/%2e%2e/a.css", "style", "/a.css"),
        # Any server tells the kind of a file by its extension.
        ("/photo", "image", "/photo.jpg"),
        ("/logo.svg", "image", "/logo.svg.jpg"),
        ("/bundle.php", "script", "/bundle.php.js"),
    ],
)
def test_a_path_becomes(path, kind, name):
    assert file_paths([("h.example", path, kind)]) == [name]


def test_equal_paths_of_one_host_are_numbered_and_those_of_two_are_not():
    wanted = [
        ("a", "/x.png", "image"),
        ("a", "/x.png", "image"),
        ("b", "/x.png", "image"),
        ("a", "/x.png", "image"),
    ]
    assert file_paths(wanted) == ["/x.png", "/x-2.png", "/x.png", "/x-3.png"]


def test_no_file_has_the_name_of_a_folder():
    wanted = [("a", "/x.json", "other"), ("a", "/x.json/y.json", "other")]
    assert file_paths(wanted) == ["/x-2.json", "/x.json/y.json"]


@given(st.text())
@example("a" * 300)
@example(".".join(["label"] * 100))
@example("1.2.3")
def test_any_text_gives_a_host_that_dns_takes(text):
    name = host_name(text)
    assert re.fullmatch(r"([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", name)
    assert len(name) <= 253
    assert not name.endswith(".localhost")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["a", "b"]),
            st.one_of(st.text(), st.lists(st.sampled_from(["x", "x.js", "..", ""])).map("/".join)),
            st.sampled_from(OBJECT_KIND.available),
        )
    )
)
def test_any_paths_give_files_that_can_lie_beside_each_other(wanted):
    paths = file_paths(wanted)
    files = [(host, path) for (host, _, _), path in zip(wanted, paths, strict=True)]
    assert len(set(files)) == len(files)
    folders = {(host, str(folder)) for host, path in files for folder in PurePosixPath(path).parents}
    assert folders.isdisjoint(files)
    for path in paths:
        assert re.fullmatch(r"(/[A-Za-z0-9._~-]+)+", path)
        assert ".." not in path.split("/")
        assert len(path) <= LONGEST_PATH + len("/") + len("-9999")
