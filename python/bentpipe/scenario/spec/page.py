"""A web page: `crates/run/src/page.rs`."""

from typing import NotRequired, TypedDict

from bentpipe.scenario.written.vocabulary import ObjectKind


class FileSpec(TypedDict):
    """A file with the content of an object; the digest says what it holds."""

    folder: str
    name: str
    sha256: str


class ObjectSpec(TypedDict):
    """An object of a page; what it does not have is not in it."""

    path: str
    bytes: int
    host: NotRequired[str]
    kind: NotRequired[ObjectKind]
    after: NotRequired[int]
    wait_ns: NotRequired[int]
    file: NotRequired[FileSpec]


class PageSpec(TypedDict):
    """A page: its document and its objects."""

    name: str
    objects: list[ObjectSpec]
    document_bytes: NotRequired[int]
    host: NotRequired[str]
    document: NotRequired[FileSpec]
