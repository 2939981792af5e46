//! Recorded paths: read as the schedules of a link, and written from them; and what a link's path is over time.

use std::collections::BTreeMap;

use bentpipe_link::{Direction, LinkSpec, OPPORTUNITY_BYTES, Table};
use bentpipe_recording::{Format, ReadOptions, RecordingError as ReadError, WriteError};
use bentpipe_units::Duration;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::link::spec_error;
use crate::record::{from_json, to_json};

create_exception!(
    _core,
    RecordingError,
    PyValueError,
    "A file of which no recording can be made, or a path of which no file can: in which `file` (content, delays) and \
     `line`, if in one, what was `expected` and `found`."
);

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("RecordingError", module.py().get_type::<RecordingError>())?;
    module.add("OPPORTUNITY_BYTES", OPPORTUNITY_BYTES)?;
    module.add("RECORDING_FORMATS", Format::ALL.map(Format::name))?;
    module.add_function(wrap_pyfunction!(recording_format, module)?)?;
    module.add_function(wrap_pyfunction!(read_recording, module)?)?;
    module.add_function(wrap_pyfunction!(write_recording, module)?)?;
    module.add_function(wrap_pyfunction!(schedule_series, module)?)
}

/// The name of the format that a file's content shows; RecordingError when it is none.
#[pyfunction]
fn recording_format(py: Python<'_>, content: &[u8]) -> PyResult<&'static str> {
    Format::of(content).map(Format::name).map_err(|error| recording_error(py, error))
}

/// The schedules of a recording, as JSON, in the format that its content shows if none is given.
#[pyfunction]
#[pyo3(signature = (content, format=None, delays=None, *, direction="forward", offset_ns=0, repeats=false))]
fn read_recording(
    py: Python<'_>,
    content: &[u8],
    format: Option<&str>,
    delays: Option<&[u8]>,
    direction: &str,
    offset_ns: u64,
    repeats: bool,
) -> PyResult<String> {
    let known = Direction::BOTH.into_iter().find(|known| known.name() == direction);
    let direction =
        known.ok_or_else(|| PyValueError::new_err(format!("expected a direction, found {direction}")))?;
    let options = ReadOptions { direction, offset: Duration::from_nanos(offset_ns), repeats };
    let read = || bentpipe_recording::read(content, delays, format.map(str::parse).transpose()?, &options);
    to_json(&py.detach(read).map_err(|error| recording_error(py, error))?)
}

/// The files, by their names, of a link's path as a run with this seed has it.
#[pyfunction]
fn write_recording<'py>(
    py: Python<'py>,
    link_json: &str,
    seed: u64,
    span_ns: u64,
    format: &str,
) -> PyResult<BTreeMap<String, Bound<'py, PyBytes>>> {
    let link: LinkSpec = from_json(link_json)?;
    let write = || bentpipe_recording::write(&link, seed, Duration::from_nanos(span_ns), format.parse()?);
    let files = py.detach(write).map_err(|error| match error {
        WriteError::Spec(error) => spec_error(py, error),
        WriteError::Format(error) => recording_error(py, error),
    })?;
    Ok(files.into_iter().map(|file| (file.name, PyBytes::new(py, &file.content))).collect())
}

/// The columns of the series `path` of a link as a run with this seed has it; none where nothing changes.
#[pyfunction]
fn schedule_series(
    py: Python<'_>,
    link_json: &str,
    seed: u64,
    span_ns: u64,
) -> PyResult<BTreeMap<String, Vec<f64>>> {
    let link: LinkSpec = from_json(link_json)?;
    let series = py.detach(|| bentpipe_link::schedule_series(&link, seed, Duration::from_nanos(span_ns)));
    series.map(Table::into_columns).map_err(|error| spec_error(py, error))
}

fn recording_error(py: Python<'_>, error: ReadError) -> PyErr {
    let raised = RecordingError::new_err(error.to_string());
    let value = raised.value(py);
    let set = || {
        value.setattr("file", error.file.name())?;
        value.setattr("line", error.line)?;
        value.setattr("expected", error.expected)?;
        value.setattr("found", error.found)
    };
    match set() {
        Ok(()) => raised,
        Err(error) => error,
    }
}
