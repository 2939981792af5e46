use std::path::PathBuf;
use std::time::Instant;

use bentpipe_run::{Engine, Provenance, RunSpec, assemble, failed};
use bentpipe_sim::{Config, simulate};
use bentpipe_web::HOST;
use bentpipe_web::tls::Identity;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::record::{from_json, to_json};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(simulate_run, module)?)
}

/// The record, as JSON, of one run in virtual time; other threads go on meanwhile.
#[pyfunction]
#[pyo3(signature = (*, run_id, spec, provenance, artifacts))]
fn simulate_run(
    py: Python<'_>,
    run_id: String,
    spec: &str,
    provenance: &str,
    artifacts: Option<PathBuf>,
) -> PyResult<String> {
    let spec: RunSpec = from_json(spec)?;
    let provenance: Provenance = from_json(provenance)?;
    let identity = Identity::generate(HOST).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let config = Config { identity, epoch: epoch(), qlog: artifacts.filter(|_| spec.capture.qlog) };
    let record = py.detach(|| match simulate(&spec, &config) {
        Ok(parties) => assemble(run_id, Engine::Simulate, spec, provenance, parties),
        Err(error) => failed(run_id, Engine::Simulate, spec, provenance, error.to_string()),
    });
    to_json(&record)
}

/// What the QUIC library takes for the instant of time zero: any will do, and there is no other way to have one.
#[expect(clippy::disallowed_methods)]
fn epoch() -> Instant {
    Instant::now()
}
