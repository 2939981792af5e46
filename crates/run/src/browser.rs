//! What a browser saw of a page load: instants, pictures and the speed index.

use bentpipe_units::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a browser saw of a load besides its objects and connections.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BrowserReport {
    /// Name and version as the browser gives them, such as `Chromium 156.0.8078.79`.
    pub version: String,
    /// When the document had been parsed (DOMContentLoaded).
    #[serde(rename = "parsed_ns")]
    pub parsed: Option<Time>,
    /// When the page said that it was loaded (load event).
    #[serde(rename = "loaded_ns")]
    pub loaded: Option<Time>,
    /// First contentful paint (W3C Paint Timing).
    #[serde(rename = "first_contentful_paint_ns")]
    pub first_contentful_paint: Option<Time>,
    /// Largest contentful paint (W3C Largest Contentful Paint).
    #[serde(rename = "largest_contentful_paint_ns")]
    pub largest_contentful_paint: Option<Time>,
    /// Pictures of the page as it appeared, in order.
    pub frames: Vec<FrameSighting>,
}

/// One picture of the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FrameSighting {
    /// When it was taken.
    #[serde(rename = "at_ns")]
    pub at: Time,
    /// Its file among the run's artifacts.
    pub file: String,
    /// How much of what the last picture shows it shows already, from 0 to 1: colour histograms compared as Speed Index
    /// does.
    pub completeness: f64,
}

/// What a browser saw of a load; instants in seconds from the start of the workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BrowserRecord {
    /// Name and version as the browser gives them.
    pub version: String,
    /// When the document had been parsed (DOMContentLoaded).
    pub parsed_s: Option<f64>,
    /// When the page said that it was loaded (load event).
    pub loaded_s: Option<f64>,
    /// First contentful paint (W3C Paint Timing); `fcp_s` of the metrics is by objects.
    pub paint_fcp_s: Option<f64>,
    /// Largest contentful paint (W3C Largest Contentful Paint); `lcp_s` of the metrics is by objects.
    pub paint_lcp_s: Option<f64>,
    /// Speed Index: the integral over time of what is not shown yet.
    pub speed_index_s: Option<f64>,
    /// Pictures of the page as it appeared, in order.
    pub frames: Vec<Frame>,
}

/// One picture of the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Frame {
    /// When it was taken.
    pub time_s: f64,
    /// Its file among the run's artifacts.
    pub file: String,
    /// How much of what the last picture shows it shows already, from 0 to 1.
    pub completeness: f64,
}

impl BrowserRecord {
    /// The same with instants counted from `start`.
    pub fn of(report: &BrowserReport, start: Time) -> Self {
        let after = |at: Time| at.since(start).as_secs_f64();
        let frames: Vec<Frame> = report
            .frames
            .iter()
            .map(|frame| Frame {
                time_s: after(frame.at),
                file: frame.file.clone(),
                completeness: frame.completeness,
            })
            .collect();
        Self {
            version: report.version.clone(),
            parsed_s: report.parsed.map(after),
            loaded_s: report.loaded.map(after),
            paint_fcp_s: report.first_contentful_paint.map(after),
            paint_lcp_s: report.largest_contentful_paint.map(after),
            speed_index_s: speed_index_s(&frames),
            frames,
        }
    }
}

/// `∫ (1 - completeness) dt` from the start to the last picture; nothing is shown before the first. None without
/// pictures.
fn speed_index_s(frames: &[Frame]) -> Option<f64> {
    let nothing_s = frames.first()?.time_s;
    let steps =
        frames.windows(2).map(|pair| (1.0 - pair[0].completeness) * (pair[1].time_s - pair[0].time_s));
    Some(nothing_s + steps.sum::<f64>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(time_s: f64, completeness: f64) -> Frame {
        Frame { time_s, file: String::new(), completeness }
    }

    #[test]
    fn the_speed_index_is_the_area_above_the_completeness() {
        // Nothing for 1 s, half for 2 s, all from then on: 1 + 0.5 * 2.
        let frames = [frame(1.0, 0.5), frame(3.0, 1.0), frame(9.0, 1.0)];
        assert_eq!(speed_index_s(&frames), Some(2.0));
        assert_eq!(speed_index_s(&[]), None);
    }
}
