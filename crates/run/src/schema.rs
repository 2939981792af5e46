//! JSON schemas of the seam, generated from the types.

use schemars::{Schema, schema_for};

use crate::{RunRecord, RunSpec};

/// The JSON schema of [`RunSpec`].
pub fn run_spec() -> Schema {
    schema_for!(RunSpec)
}

/// The JSON schema of [`RunRecord`].
pub fn run_record() -> Schema {
    schema_for!(RunRecord)
}
