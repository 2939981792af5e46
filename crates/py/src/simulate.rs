//! Runs in virtual time, without the interpreter's lock.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use bentpipe_emu::LocalFiles;
use bentpipe_run::{Engine, Provenance, Reason, RunSpec, assemble, failed};
use bentpipe_sim::{Config, simulate};
use bentpipe_web::page::Sites;
use pyo3::prelude::*;

use crate::record::{from_json, to_json};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Simulator>()
}

/// Runs specs in virtual time; several threads may use it at once. It keeps the pages that runs have in common.
#[pyclass(frozen)]
struct Simulator {
    sites: Arc<Sites>,
}

#[pymethods]
impl Simulator {
    #[new]
    fn new() -> Self {
        Self { sites: Arc::new(Sites::with_files(Arc::new(LocalFiles))) }
    }

    /// The record, as JSON, of one run; other threads go on meanwhile.
    #[pyo3(signature = (*, run_id, spec, provenance, artifacts))]
    fn run(
        &self,
        py: Python<'_>,
        run_id: String,
        spec: &str,
        provenance: &str,
        artifacts: Option<PathBuf>,
    ) -> PyResult<String> {
        let spec: RunSpec = from_json(spec)?;
        let provenance: Provenance = from_json(provenance)?;
        let config = Config { artifacts, sites: Arc::clone(&self.sites), ..Config::new(epoch()) };
        let record = py.detach(|| match simulate(&spec, &config) {
            Ok(reports) => assemble(run_id, Engine::Simulate, spec, provenance, reports),
            Err(error) => failed(
                run_id,
                Engine::Simulate,
                spec,
                provenance,
                Reason::EngineFailed { error: error.to_string() },
            ),
        });
        to_json(&record)
    }
}

/// What the QUIC library takes for the instant of time zero: any will do, and there is no other way to have one.
#[expect(clippy::disallowed_methods)]
fn epoch() -> Instant {
    Instant::now()
}
