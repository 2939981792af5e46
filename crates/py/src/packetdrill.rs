//! Scripts of packetdrill on either engine.

use std::os::fd::{FromRawFd, OwnedFd};
use std::path::PathBuf;

use bentpipe_emu::packetdrill::Kernel;
use bentpipe_packetdrill::{
    Backend, Code, CodeError, Need, Script, Settings, Simulated, Verdict, parse, run,
};
use pyo3::create_exception;
use pyo3::exceptions::{PyNameError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::IntoPyDict;

create_exception!(
    _core,
    ScriptError,
    PyValueError,
    "A script that cannot be read: in which `line`, what was `expected` and `found`."
);

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("ScriptError", module.py().get_type::<ScriptError>())?;
    module.add_class::<ScriptVerdict>()?;
    module.add_function(wrap_pyfunction!(script_addresses, module)?)?;
    module.add_function(wrap_pyfunction!(simulate_script, module)?)?;
    module.add_function(wrap_pyfunction!(emulate_script, module)?)
}

/// How a script ends.
#[pyclass(frozen, get_all)]
struct ScriptVerdict {
    outcome: &'static str,
    line: Option<u32>,
    expected: Option<String>,
    found: Option<String>,
    is_timing: bool,
}

impl From<Verdict> for ScriptVerdict {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Passed => {
                Self { outcome: "passed", line: None, expected: None, found: None, is_timing: false }
            }
            Verdict::Failed(difference) => Self {
                outcome: "failed",
                line: Some(difference.line),
                expected: Some(difference.expected),
                found: Some(difference.found),
                is_timing: difference.is_timing,
            },
            Verdict::Needs(Need { line, what }) => Self {
                outcome: "needs",
                line: Some(line),
                expected: Some(what),
                found: None,
                is_timing: false,
            },
        }
    }
}

/// Address of the endpoint, of its peer, and the MTU; none for a head that is not understood.
#[pyfunction]
fn script_addresses(py: Python<'_>, text: &str) -> PyResult<Option<(String, String, u32)>> {
    let settings = Settings::of(&parsed(py, text)?).ok();
    Ok(settings.map(|settings| (settings.local.to_string(), settings.remote.to_string(), settings.mtu)))
}

/// Runs a script in virtual time.
#[pyfunction]
#[pyo3(signature = (text, *, read_file, evaluate))]
fn simulate_script(
    py: Python<'_>,
    text: &str,
    read_file: &Bound<'_, PyAny>,
    evaluate: &Bound<'_, PyAny>,
) -> PyResult<ScriptVerdict> {
    let script = parsed(py, text)?;
    let read = |name: &str| read_file.call1((name,)).and_then(|text| text.extract()).unwrap_or(None);
    Ok(settled(&script, |settings| Ok(Simulated::new(settings, &read)), evaluate)?.into())
}

/// Runs a script against the kernel, by a TUN device in the namespace of this thread. The descriptor is closed.
#[pyfunction]
#[pyo3(signature = (text, *, device, folder, evaluate))]
fn emulate_script(
    py: Python<'_>,
    text: &str,
    device: i32,
    folder: PathBuf,
    evaluate: &Bound<'_, PyAny>,
) -> PyResult<ScriptVerdict> {
    // SAFETY: the caller gives the descriptor away.
    let device = unsafe { OwnedFd::from_raw_fd(device) };
    let script = parsed(py, text)?;
    Ok(settled(&script, |settings| Ok(Kernel::new(settings, device, folder)?), evaluate)?.into())
}

fn settled<B: Backend>(
    script: &Script,
    backend: impl FnOnce(&Settings) -> PyResult<B>,
    evaluate: &Bound<'_, PyAny>,
) -> PyResult<Verdict> {
    let settings = match Settings::of(script) {
        Ok(settings) => settings,
        Err(need) => return Ok(Verdict::Needs(need)),
    };
    let mut backend = backend(&settings)?;
    Ok(run(script, &settings, &mut backend, &mut |code| evaluated(evaluate, code)))
}

/// Has Python judge a line of a script; a name that it does not know is one that the backend would have to.
fn evaluated(evaluate: &Bound<'_, PyAny>, code: &Code<'_>) -> Result<(), CodeError> {
    let py = evaluate.py();
    let called = code.info.0.clone().into_py_dict(py).and_then(|info| evaluate.call1((code.text, info)));
    called.map(drop).map_err(|error| {
        let name = error.value(py).getattr("name").and_then(|name| name.extract::<String>());
        match name {
            Ok(name) if error.is_instance_of::<PyNameError>(py) => CodeError::Unknown(name),
            _ => CodeError::Raised(error.to_string()),
        }
    })
}

fn parsed(py: Python<'_>, text: &str) -> PyResult<Script> {
    parse(text).map_err(|error| {
        let raised = ScriptError::new_err(error.to_string());
        let value = raised.value(py);
        let set = value
            .setattr("line", error.line)
            .and_then(|()| value.setattr("expected", error.expected))
            .and_then(|()| value.setattr("found", error.found));
        set.err().unwrap_or(raised)
    })
}
