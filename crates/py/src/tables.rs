//! The standards' tables of what a satellite carrier can send, for whoever draws or checks a link.

use bentpipe_link::dvbs2::{self, FecFrameSpec, PilotsSpec, PlFrame};
use bentpipe_link::rcs2::{self, Waveform};
use pyo3::prelude::*;

use crate::record::from_json;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(modcods, module)?)?;
    module.add_function(wrap_pyfunction!(waveforms, module)?)
}

/// A MODCOD with frames of one kind.
#[derive(IntoPyObject)]
struct ModcodRow {
    number: u8,
    name: String,
    threshold_db: f64,
    spectral_efficiency: f64,
    bits: u64,
    symbols: u32,
}

/// A waveform of the return link.
#[derive(IntoPyObject)]
struct WaveformRow {
    id: u8,
    modulation: &'static str,
    code_rate: String,
    payload_bytes: u64,
    symbols: u32,
    threshold_db: f64,
}

/// The MODCODs of EN 302 307-1 that such frames can have, in the order of their numbers.
#[pyfunction]
#[pyo3(signature = (*, fecframe, pilots))]
fn modcods(fecframe: &str, pilots: &str) -> PyResult<Vec<ModcodRow>> {
    let fecframe: FecFrameSpec = from_json(&format!("\"{fecframe}\""))?;
    let pilots: PilotsSpec = from_json(&format!("\"{pilots}\""))?;
    let frames = dvbs2::Modcod::all().filter_map(|modcod| PlFrame::new(modcod, fecframe, pilots));
    Ok(frames.map(modcod_row).collect())
}

/// The linear-modulation waveforms of EN 301 545-2, Annex A, in the order of their ids.
#[pyfunction]
fn waveforms() -> Vec<WaveformRow> {
    Waveform::ALL.into_iter().map(waveform_row).collect()
}

fn modcod_row(frame: PlFrame) -> ModcodRow {
    ModcodRow {
        number: frame.modcod().number(),
        name: frame.modcod().to_string(),
        threshold_db: frame.threshold().get(),
        spectral_efficiency: frame.spectral_efficiency(),
        bits: frame.data_field().bits(),
        symbols: frame.symbols(),
    }
}

fn waveform_row(waveform: Waveform) -> WaveformRow {
    let (information, coded) = waveform.code_rate();
    WaveformRow {
        id: waveform.id(),
        modulation: match waveform.modulation() {
            rcs2::Modulation::Qpsk => "QPSK",
            rcs2::Modulation::Psk8 => "8PSK",
            rcs2::Modulation::Qam16 => "16QAM",
        },
        code_rate: format!("{information}/{coded}"),
        payload_bytes: waveform.payload().get(),
        symbols: waveform.length().symbols(),
        threshold_db: waveform.threshold().get(),
    }
}
