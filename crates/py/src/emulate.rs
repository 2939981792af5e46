//! What the emulate engine asks of the crates: parts of a run, congestion controls, identities, captures.

use std::path::PathBuf;

use bentpipe_emu::parts::{self, PartError};
use bentpipe_emu::{INTERCEPTION_PORT, UDP_BUFFER_BYTES};
use bentpipe_http::tls::{Identity, KeyKind};
use bentpipe_run::{Algorithm, RunSpec, SlowStartChoice};
use bentpipe_trace::pcapng;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

use crate::record::{from_json, to_json};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("INTERCEPTION_PORT", INTERCEPTION_PORT)?;
    module.add("UDP_BUFFER_BYTES", UDP_BUFFER_BYTES)?;
    let in_kernel = Algorithm::ALL.into_iter().filter_map(|cc| Some((cc.name(), cc.kernel_name()?)));
    module.add("KERNEL_CONGESTION_CONTROLS", in_kernel.into_py_dict(module.py())?)?;
    let search = Algorithm::Cubic.kernel_name_with(Some(SlowStartChoice::Search));
    module.add("KERNEL_CUBIC_WITH_SEARCH", search)?;
    module.add_function(wrap_pyfunction!(run_part, module)?)?;
    module.add_function(wrap_pyfunction!(has_receive_steering, module)?)?;
    module.add_function(wrap_pyfunction!(has_segmentation_offload, module)?)?;
    module.add_function(wrap_pyfunction!(measure_hosts, module)?)?;
    module.add_function(wrap_pyfunction!(congestion_control_obstacle, module)?)?;
    module.add_function(wrap_pyfunction!(congestion_control_leftovers, module)?)?;
    module.add_function(wrap_pyfunction!(remove_congestion_control_leftovers, module)?)?;
    module.add_function(wrap_pyfunction!(generate_identity, module)?)?;
    module.add_function(wrap_pyfunction!(add_secrets, module)?)
}

/// Runs one part of an emulated run ("link", "origin", "client", "terminal", "gateway"), or one that has the kernel offer a congestion
/// control meanwhile ("congestion-control"), on standard input and output.
#[pyfunction]
fn run_part(py: Python<'_>, part: &str) -> PyResult<()> {
    let run: fn() -> Result<(), PartError> = match part {
        "link" => parts::link,
        "origin" => parts::origin,
        "client" => parts::client,
        "terminal" => parts::terminal,
        "gateway" => parts::gateway,
        "congestion-control" => parts::congestion_control,
        other => return Err(PyRuntimeError::new_err(format!("no part is called {other}"))),
    };
    py.detach(run).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// Whether hosts are to receive on other cores than the link's.
#[pyfunction]
fn has_receive_steering(spec: &str) -> PyResult<bool> {
    Ok(bentpipe_emu::has_receive_steering(&from_json(spec)?))
}

/// Whether the devices of a run's link are to be opened for segmentation offload.
#[pyfunction]
fn has_segmentation_offload(spec: &str) -> PyResult<bool> {
    Ok(bentpipe_emu::has_segmentation_offload(&from_json(spec)?))
}

/// What encryption takes of a core of this machine, as JSON of `HostsSpec`; datagrams are measured by the QUIC flow that a
/// specification asks for, over the loopback interface.
#[pyfunction]
fn measure_hosts(py: Python<'_>, spec: &str) -> PyResult<String> {
    let spec: RunSpec = from_json(spec)?;
    let hosts = py.detach(|| bentpipe_emu::costs(&spec));
    to_json(&hosts.map_err(|error| PyRuntimeError::new_err(error.to_string()))?)
}

/// Why no congestion control can be loaded into the kernel; none when nothing is known to stand in the way.
#[pyfunction]
fn congestion_control_obstacle() -> Option<String> {
    bentpipe_bpf::obstacle().map(|obstacle| obstacle.to_string())
}

/// Names of congestion controls that killed processes have left registered, as they can before Linux 6.4; none
/// where this process cannot look.
#[pyfunction]
fn congestion_control_leftovers(py: Python<'_>) -> Vec<&'static str> {
    py.detach(bentpipe_bpf::leftovers)
}

/// Removes them and says which were removed.
#[pyfunction]
fn remove_congestion_control_leftovers(py: Python<'_>) -> Vec<&'static str> {
    py.detach(parts::remove_congestion_control_leftovers)
}

/// Fresh keys ("ed25519", "p256") and a certificate for each host of one run, as JSON for the parts.
#[pyfunction]
fn generate_identity(hosts: Vec<String>, key: &str) -> PyResult<String> {
    let key = match key {
        "ed25519" => KeyKind::Ed25519,
        "p256" => KeyKind::P256,
        other => {
            return Err(PyValueError::new_err(format!("key: expected ed25519 or p256, found {other}")));
        }
    };
    let identity = Identity::generate(&hosts, key);
    let identity = identity.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    to_json(&identity)
}

/// Puts TLS secrets (NSS key-log lines) at the head of a finished capture.
#[pyfunction]
fn add_secrets(capture: PathBuf, key_log: Vec<String>) -> PyResult<()> {
    pcapng::add_secrets(&capture, &key_log).map_err(|error| PyOSError::new_err(error.to_string()))
}
