"""What every class of the model has in common."""

from typing import Any, ClassVar, Literal, get_origin

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """A value that crosses the seam to Rust as JSON and is never changed."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        populate_by_name=True,
        serialize_by_alias=True,
        # Most classes are parts of others, and few of those are read or written by a command. Threads
        # read runs at once: the versions of pydantic that pyproject.toml allows build a class under a lock.
        defer_build=True,
    )

    _tags: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        fields = cls.model_fields.items()
        cls._tags = frozenset(name for name, field in fields if get_origin(field.annotation) is Literal)

    def model_post_init(self, _: Any, /) -> None:
        """Count the tag of a variant as given."""
        if self._tags:
            self.__pydantic_fields_set__.update(self._tags)

    def to_json(self) -> str:
        """Write it as it was made: a setting that was never given is not written."""
        return self.model_dump_json(exclude_unset=True)
