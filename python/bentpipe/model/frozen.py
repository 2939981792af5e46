"""What every class of the model has in common."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """A value that crosses the seam to Rust as JSON and is never changed."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, serialize_by_alias=True)

    def to_json(self) -> str:
        """Write it as it was made: a setting that was never given is not written."""
        return self.model_dump_json(exclude_unset=True)
