"""Page loads made by hand."""

from bentpipe.check.load import Load, LoadedObject

SITE = "https://example.org"


def item(path, *instants_s, size=1000, by="/"):
    """An object by its path; `by` is the path of what names it, None of the document."""
    discovered_s, request_s, first_byte_s, last_byte_s = instants_s
    return LoadedObject(
        url=SITE + path,
        named_by=None if by is None else SITE + by,
        bytes=size,
        discovered_s=discovered_s,
        request_s=request_s,
        first_byte_s=first_byte_s,
        last_byte_s=last_byte_s,
    )


def load(*objects):
    return Load(objects=objects)
