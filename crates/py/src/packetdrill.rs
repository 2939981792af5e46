//! Scripts of packetdrill on either engine.

use std::os::fd::{FromRawFd, OwnedFd};
use std::path::PathBuf;

use bentpipe_emu::packetdrill::Kernel;
use bentpipe_packetdrill::{
    Backend, Code, CodeError, Difference, Files, Judged, Missing, Script, Setting, Settings, Simulated, Skip,
    Verdict, parse, run,
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
    unexpected: Vec<String>,
}

impl From<Judged> for ScriptVerdict {
    fn from(judged: Judged) -> Self {
        let unexpected = judged.unexpected.iter().map(ToString::to_string).collect();
        let (outcome, difference, skip) = match judged.verdict {
            Verdict::Passed => ("passed", None, None),
            Verdict::Failed(difference) => ("failed", Some(difference), None),
            Verdict::Skipped(skip) => ("skipped", None, Some(skip)),
        };
        let is_timing = difference.as_ref().is_some_and(|difference| difference.is_timing);
        let (line, expected, found) = match (difference, skip) {
            (Some(Difference { line, expected, found, .. }), _) => (Some(line), Some(expected), Some(found)),
            (None, Some(Skip { line, what })) => (Some(line), Some(what), None),
            (None, None) => (None, None, None),
        };
        Self { outcome, line, expected, found, is_timing, unexpected }
    }
}

/// Names and values of options beside those at a script's head.
type Given = Vec<(String, String)>;

fn settings_of(given: Given) -> Vec<Setting> {
    given.into_iter().map(|(name, value)| Setting { line: 1, name, value }).collect()
}

/// Address of the endpoint, of its peer, and the MTU; none for a head that is not understood.
#[pyfunction]
#[pyo3(signature = (text, *, options))]
fn script_addresses(py: Python<'_>, text: &str, options: Given) -> PyResult<Option<(String, String, u32)>> {
    let settings = Settings::of(&parsed(py, text)?, &settings_of(options)).ok();
    Ok(settings.map(|settings| (settings.local.to_string(), settings.remote.to_string(), settings.mtu)))
}

/// Runs a script in virtual time.
#[pyfunction]
#[pyo3(signature = (text, *, options, read_file, file_bytes, evaluate))]
fn simulate_script(
    py: Python<'_>,
    text: &str,
    options: Given,
    read_file: &Bound<'_, PyAny>,
    file_bytes: &Bound<'_, PyAny>,
    evaluate: &Bound<'_, PyAny>,
) -> PyResult<ScriptVerdict> {
    let script = parsed(py, text)?;
    let text = |name: &str| read_file.call1((name,)).and_then(|text| text.extract()).unwrap_or(None);
    let length = |path: &str| file_bytes.call1((path,)).and_then(|bytes| bytes.extract()).unwrap_or(None);
    let files = Files { text: &text, length: &length };
    Ok(settled(&script, options, |settings| Ok(Simulated::new(settings, files)), evaluate)?.into())
}

/// Runs a script against the kernel, by a TUN device in the namespace of this thread. The descriptor is closed.
#[pyfunction]
#[pyo3(signature = (text, *, options, device, folder, evaluate))]
fn emulate_script(
    py: Python<'_>,
    text: &str,
    options: Given,
    device: i32,
    folder: PathBuf,
    evaluate: &Bound<'_, PyAny>,
) -> PyResult<ScriptVerdict> {
    // SAFETY: the caller gives the descriptor away.
    let device = unsafe { OwnedFd::from_raw_fd(device) };
    let script = parsed(py, text)?;
    Ok(settled(&script, options, |settings| Ok(Ok(Kernel::new(settings, device, folder)?)), evaluate)?.into())
}

fn settled<B: Backend>(
    script: &Script,
    options: Given,
    backend: impl FnOnce(&Settings) -> PyResult<Result<B, Missing>>,
    evaluate: &Bound<'_, PyAny>,
) -> PyResult<Judged> {
    let skipped = |skip| Judged { verdict: Verdict::Skipped(skip), unexpected: Vec::new() };
    let settings = match Settings::of(script, &settings_of(options)) {
        Ok(settings) => settings,
        Err(skip) => return Ok(skipped(skip)),
    };
    let mut backend = match backend(&settings)? {
        Ok(backend) => backend,
        Err(missing) => return Ok(skipped(Skip { line: 1, what: missing.0 })),
    };
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
