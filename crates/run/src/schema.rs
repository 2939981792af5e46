//! JSON schemas of the seam, generated from the types.

use bentpipe_link::LinkDescription;
use schemars::{Schema, schema_for};

use crate::{RunRecord, RunReports, RunSpec};

/// The JSON schema of [`RunSpec`].
pub fn run_spec() -> Schema {
    schema_for!(RunSpec)
}

/// The JSON schema of [`RunRecord`].
pub fn run_record() -> Schema {
    schema_for!(RunRecord)
}

/// The JSON schema of [`RunReports`].
pub fn run_reports() -> Schema {
    schema_for!(RunReports)
}

/// The JSON schema of [`LinkDescription`].
pub fn link_description() -> Schema {
    schema_for!(LinkDescription)
}
