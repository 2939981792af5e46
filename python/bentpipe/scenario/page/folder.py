"""A page from a folder of files: index.html and what it loads; the rules are in docs/pages.md."""

import hashlib
import os
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote, urljoin, urlsplit

from bentpipe import _core
from bentpipe.model.draft.page import FileSpec, PageSpec
from bentpipe.scenario.page import kinds, references
from bentpipe.scenario.page.names import LONGEST_HOST, LONGEST_URL, authority
from bentpipe.scenario.page.references import Reference
from bentpipe.scenario.page.web_page import LARGEST_PAGE_BYTES, PageObject, check_number, page_of
from bentpipe.scenario.written.location import Location, quoted

INDEX = "index.html"
HOST = "folder.invalid"
HERE = f"http://{HOST}/"
"""What URLs are relative to; other hosts are not in the folder."""
PATH_MAX = 4096
"""Bytes of a path, the zero behind it included, that Linux takes; so many characters a `<base>` may have."""
LONGEST_PATH = LONGEST_URL - len("https://") - LONGEST_HOST
"""With its query, on any host (crates/web/src/page/resolve.rs)."""
KEPT = "/%!$&'()*+,;=:@[]|~^"
"""Characters that browsers leave in a path as they are (URL Standard, section 1.3)."""
HTML_SUFFIXES = (".html", ".htm")
LARGEST_TEXT_BYTES = 20_000_000
"""Of a file that is searched for what it names."""


def folder_page(folder: Path, where: Location, *, name: str) -> PageSpec:
    """Return the page in a folder.

    Parameters
    ----------
    folder : Path
        The folder.
    where : Location
        The place where it is named.
    name : str
        Of the page.

    Raises
    ------
    InputError
        When it cannot be read, has no index.html, names files that it has not, or leads out of the folder.
    """
    try:
        root = folder.resolve(strict=True)
        is_folder = root.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise where.error(expected="a folder", found=f"{folder}: {reason or error}") from None
    if not is_folder:
        raise where.error(expected="a folder", found=f"{folder}: a file")
    site = _Site(root=root, where=Location(file=str(folder)))
    index = site.file(INDEX)
    if index is None:
        raise site.where.at(INDEX).error(expected="a file", found="none")
    walk = _Walk(site=site, index=index)
    walk.all()
    objects = [
        PageObject(
            host=None,
            path=item.path,
            bytes=item.file.bytes,
            kind=kinds.of_name(item.file.name),
            after=item.after,
            file=item.file.spec(root),
        )
        for item in walk.found
    ]
    # Without a host of its own: it has the usual one.
    return page_of(
        name, objects, site.where, host=None, document_bytes=index.bytes, document=index.spec(root)
    )


@dataclass(frozen=True, kw_only=True)
class _File:
    """A file of the folder."""

    name: str
    bytes: int
    sha256: str

    def spec(self, root: Path) -> FileSpec:
        return {"folder": str(root), "name": self.name, "sha256": self.sha256}

    def url(self) -> str:
        return urljoin(HERE, quote(self.name))


@dataclass(frozen=True, kw_only=True)
class _Found:
    """A file that is loaded, the path by which, and the position of the one that names it."""

    file: _File
    path: str
    after: int | None


@dataclass(kw_only=True)
class _Site:
    """The files below a folder."""

    root: Path
    where: Location
    digests: dict[tuple[int, int], tuple[int, str]] = field(default_factory=dict)
    """Lengths and SHA-256 of the files that were read, however many names they have, by device and inode."""
    read_bytes: int = 0
    """Of these together."""

    def file(self, name: str) -> _File | None:
        """Return the file of that name, or None where there is none."""
        real = _real_file(self.root / name)
        if real is None:
            return None
        try:
            if not real.is_relative_to(self.root):
                raise self.where.at(name).error(expected="a file inside the folder", found="a way out of it")
            size, digest = self._digest(real, name)
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            raise self.where.at(name).error(expected="a readable file", found=reason or str(error)) from None
        return _File(name=name, bytes=size, sha256=digest)

    def _digest(self, real: Path, name: str) -> tuple[int, str]:
        """Return length and SHA-256 of a file; each is read once, and in all no more than a page has."""
        status = real.stat()
        known = self.digests.get((status.st_dev, status.st_ino))
        if known is not None:
            return known
        self.read_bytes += status.st_size
        if self.read_bytes > LARGEST_PAGE_BYTES:
            most, found = _core.format_size(LARGEST_PAGE_BYTES), _core.format_size(self.read_bytes)
            raise self.where.at(name).error(expected=f"at most {most} in all", found=found)
        with real.open("rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        self.digests[status.st_dev, status.st_ino] = status.st_size, digest
        return status.st_size, digest

    def text(self, file: _File) -> str:
        """Return the text of a file; bytes that are no UTF-8 are not part of any name."""
        if file.bytes > LARGEST_TEXT_BYTES:
            most, found = _core.format_size(LARGEST_TEXT_BYTES), _core.format_size(file.bytes)
            raise self.where.at(file.name).error(expected=f"at most {most} of text", found=found)
        return (self.root / file.name).read_text(encoding="utf-8", errors="replace")


@dataclass(kw_only=True)
class _Walk:
    """The way from a document to all that it loads, directly or not, each file once."""

    site: _Site
    index: _File
    found: list[_Found] = field(default_factory=list)
    files: dict[str, _File | None] = field(default_factory=dict)
    """Those that something named, by name."""
    named: dict[str, dict[str, _File]] = field(default_factory=dict)
    """By name of a file that was read: what it names, by path."""

    def all(self) -> None:
        """Find everything: what the document names first, then what that names, and so on."""
        loaded: set[str] = set()
        waiting: deque[tuple[_File, int | None]] = deque([(self.index, None)])
        while waiting:
            file, position = waiting.popleft()
            for path, named in self._named_by(file).items():
                # By another query it is loaded again, as browsers do.
                if path in loaded:
                    continue
                loaded.add(path)
                waiting.append((named, len(self.found)))
                self.found.append(_Found(file=named, path=path, after=position))
                check_number(self.found, self.site.where)

    def _named_by(self, file: _File) -> dict[str, _File]:
        """Return the files that a file names, by path. It is read once, however often it is loaded."""
        if file.name not in self.named:
            named: dict[str, _File] = {}
            for found, path in self._read(file):
                if found != self.index:
                    named[path] = found
                    check_number(named, self.site.where)
            self.named[file.name] = named
        return self.named[file.name]

    def _read(self, file: _File) -> Iterator[tuple[_File, str]]:
        """Yield the files that a file names, each with its path."""
        if file.name.lower().endswith(HTML_SUFFIXES):
            try:
                html = references.in_html(self.site.text(file))
                base = urljoin(file.url(), self._base(html.base or "", file))
            except ValueError as error:
                raise self.site.where.at(file.name).error(expected="HTML", found=str(error)) from None
            yield from self._files(html.references, file, base=base)
        elif kinds.of_name(file.name) == "style":
            yield from self._files(references.in_css(self.site.text(file)), file, base=file.url())
        elif kinds.of_name(file.name) == "script":
            yield from self._files(references.in_script(self.site.text(file)), file, base=file.url())

    def _base(self, written: str, file: _File) -> str:
        if len(written) > PATH_MAX:
            expected = f"a <base> of at most {PATH_MAX} characters"
            raise self.site.where.at(file.name).error(expected=expected, found=quoted(written))
        return written

    def _files(self, named: Iterable[Reference], file: _File, *, base: str) -> Iterator[tuple[_File, str]]:
        for reference in named:
            origin = HERE if reference.of_document else base
            targets = [
                (url, *target) for url in reference.urls if (target := _target(origin, url)) is not None
            ]
            there = [
                (url, found, path) for url, name, path in targets if (found := self._file(name)) is not None
            ]
            if there:
                url, found, path = there[0]
                self._check(path, url, file)
                yield found, path
            elif targets and file.name.lower().endswith(HTML_SUFFIXES):
                raise self.site.where.at(file.name).error(
                    expected="nothing but files that are in the folder", found=quoted(reference.urls[0])
                )

    def _check(self, path: str, url: str, file: _File) -> None:
        """Raise an InputError when no path is asked for like this, and no page can have an object there."""
        place, found = self.site.where.at(file.name), quoted(url)
        if path.startswith("//") or {".", ".."} & set(path.partition("?")[0].split("/")):
            raise place.error(expected="a URL whose path has no dots and one slash at its start", found=found)
        if len(path) > LONGEST_PATH:
            raise place.error(expected=f"a URL of at most {LONGEST_PATH} bytes", found=found)

    def _file(self, name: str) -> _File | None:
        if name not in self.files:
            self.files[name] = self.site.file(name)
        return self.files[name]


def _real_file(path: Path) -> Path | None:
    """Return what a path leads to, or None where that is no file."""
    try:
        if len(os.fsencode(path)) >= PATH_MAX:
            return None
        real = Path(os.path.realpath(path))
        return real if real.is_file() else None
    except (OSError, ValueError):
        # No file has a name that cannot be one's.
        return None


def _target(base: str, url: str) -> tuple[str, str] | None:
    """Return the name of the file that a URL stands for, and the path and the query that a browser asks for.

    None where it is not from the folder: on another host, longer than can be asked for, or the data itself.
    """
    if len(url) > LONGEST_URL or authority(url) not in ("", HOST):
        return None
    try:
        parts = urlsplit(urljoin(base, url))
    except ValueError:
        return None
    if f"{parts.scheme}://{parts.netloc}/" != HERE:
        return None
    name = "/".join(part for part in unquote(parts.path, errors="replace").split("/") if part.strip("."))
    if not name or parts.path.endswith("/"):
        name = f"{name}/{INDEX}".lstrip("/")
    query = f"?{quote(parts.query, safe=f'{KEPT}?')}" if parts.query else ""
    return name, quote(parts.path, safe=KEPT) + query
