//! Specs checked, records assembled and exported, and the schemas of both, all as JSON.

use bentpipe_run::{
    ClientReport, Engine, LinkReport, OriginReport, Provenance, Reason, RunRecord, RunReports, RunSpec,
    assemble, failed, schema,
};
use bentpipe_trace::{WallClock, har};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(check_spec, module)?)?;
    module.add_function(wrap_pyfunction!(assemble_record, module)?)?;
    module.add_function(wrap_pyfunction!(failed_record, module)?)?;
    module.add_function(wrap_pyfunction!(reason_sentence, module)?)?;
    module.add_function(wrap_pyfunction!(har_of, module)?)?;
    module.add_function(wrap_pyfunction!(run_spec_schema, module)?)?;
    module.add_function(wrap_pyfunction!(run_record_schema, module)?)?;
    module.add_function(wrap_pyfunction!(run_reports_schema, module)?)?;
    module.add_function(wrap_pyfunction!(link_description_schema, module)?)
}

/// Raises ValueError with the place when the JSON is not a complete run spec.
#[pyfunction]
fn check_spec(spec: &str) -> PyResult<()> {
    from_json::<RunSpec>(spec).map(drop)
}

/// The record, as JSON, of a finished run from the JSON of its spec, provenance and three reports.
#[pyfunction]
#[pyo3(signature = (*, run_id, engine, spec, provenance, client, origin, link))]
fn assemble_record(
    run_id: String,
    engine: &str,
    spec: &str,
    provenance: &str,
    client: &str,
    origin: &str,
    link: &str,
) -> PyResult<String> {
    let engine: Engine = from_json(&format!("\"{engine}\""))?;
    let reports = RunReports {
        client: from_json::<ClientReport>(client)?,
        origin: from_json::<OriginReport>(origin)?,
        link: from_json::<LinkReport>(link)?,
    };
    let provenance: Provenance = from_json(provenance)?;
    to_json(&assemble(run_id, engine, from_json(spec)?, provenance, reports))
}

/// The record, as JSON, of a run that broke before it had reports.
#[pyfunction]
#[pyo3(signature = (*, run_id, engine, spec, provenance, reason))]
fn failed_record(
    run_id: String,
    engine: &str,
    spec: &str,
    provenance: &str,
    reason: &str,
) -> PyResult<String> {
    let engine: Engine = from_json(&format!("\"{engine}\""))?;
    to_json(&failed(run_id, engine, from_json(spec)?, from_json(provenance)?, from_json(reason)?))
}

/// The sentence of a reason (JSON).
#[pyfunction]
fn reason_sentence(reason: &str) -> PyResult<String> {
    from_json::<Reason>(reason).map(|reason| reason.to_string())
}

/// HAR 1.2 of a page load's record (JSON in, JSON out); `started` is RFC 3339.
#[pyfunction]
fn har_of(record: &str, started: &str) -> PyResult<String> {
    let record: RunRecord = from_json(record)?;
    let started: WallClock = started.parse().map_err(|error| PyValueError::new_err(format!("{error}")))?;
    let mut har = Vec::new();
    har::write(&record, started, &mut har).map_err(|error| PyValueError::new_err(error.to_string()))?;
    String::from_utf8(har).map_err(|error| PyValueError::new_err(error.to_string()))
}

/// JSON schema of a run's spec.
#[pyfunction]
fn run_spec_schema() -> PyResult<String> {
    to_json(&schema::run_spec())
}

/// JSON schema of a run's record.
#[pyfunction]
fn run_record_schema() -> PyResult<String> {
    to_json(&schema::run_record())
}

/// JSON schema of what client, origin and link report of a run.
#[pyfunction]
fn run_reports_schema() -> PyResult<String> {
    to_json(&schema::run_reports())
}

/// JSON schema of what a link comes to.
#[pyfunction]
fn link_description_schema() -> PyResult<String> {
    to_json(&schema::link_description())
}

pub(crate) fn to_json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyValueError::new_err(error.to_string()))
}

pub(crate) fn from_json<T: DeserializeOwned>(text: &str) -> PyResult<T> {
    serde_json::from_str(text).map_err(|error| PyValueError::new_err(error.to_string()))
}
