//! What can be said of a link before it runs, and what is wrong with it.

use bentpipe_link::SpecError as LinkError;
use bentpipe_run::{BurstSpec, LayoutSpec, LinkSpec};
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::record::{from_json, to_json};

create_exception!(
    _core,
    SpecError,
    PyValueError,
    "A specification of which no link can be made: `path` of a field in it, what was `expected` and `found` there."
);

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("SpecError", module.py().get_type::<SpecError>())?;
    module.add_function(wrap_pyfunction!(describe_link, module)?)?;
    module.add_function(wrap_pyfunction!(describe_slots, module)?)
}

/// Checks a link and returns what it comes to, JSON in and out; SpecError when there can be no such link.
#[pyfunction]
fn describe_link(py: Python<'_>, link_json: &str) -> PyResult<String> {
    let link: LinkSpec = from_json(link_json)?;
    to_json(&bentpipe_link::describe(&link).map_err(|error| spec_error(py, error))?)
}

/// What the slots of a return link come to, JSON in and out; SpecError when there can be no such slots.
#[pyfunction]
fn describe_slots(py: Python<'_>, layout_json: &str, burst_json: &str) -> PyResult<String> {
    let (layout, burst): (LayoutSpec, BurstSpec) = (from_json(layout_json)?, from_json(burst_json)?);
    to_json(&bentpipe_link::describe_slots(&layout, &burst).map_err(|error| spec_error(py, error))?)
}

pub(crate) fn spec_error(py: Python<'_>, error: LinkError) -> PyErr {
    let raised = SpecError::new_err(error.to_string());
    let value = raised.value(py);
    let parts = [("path", error.field), ("expected", error.expected), ("found", error.found)];
    match parts.into_iter().try_for_each(|(name, part)| value.setattr(name, part)) {
        Ok(()) => raised,
        Err(error) => error,
    }
}
