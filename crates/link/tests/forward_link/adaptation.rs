//! Adaptive coding and modulation while the signal fades and comes back. Thresholds: EN 302 307-1, Table 13.

use bentpipe_link::dvbs2::{FecFrameSpec, Modcod, PilotsSpec, PlFrame};
use bentpipe_link::{LinkReport, Table};
use bentpipe_units::{Duration, Time};

use super::rig::*;

/// The thresholds of Table 13 by the numbers of the MODCODs that are ever sent.
fn threshold_db(modcod: f64) -> f64 {
    Modcod::new(modcod as u8).unwrap().es_n0().get()
}

fn rows(acm: &Table) -> impl Iterator<Item = (f64, f64, f64, f64)> + '_ {
    let column = |name| acm.column(name).iter().copied();
    let seconds = column("time_s").zip(column("modcod"));
    seconds.zip(column("reported_es_n0_db").zip(column("frames_lost"))).map(|((s, m), (r, l))| (s, m, r, l))
}

fn acm_probe(report: &LinkReport) -> &Table {
    &report.probes["acm"]
}

#[test]
fn through_a_triangular_fade_of_10_db_every_modcod_is_within_the_report_and_nothing_is_lost() {
    // Half a decibel per second: 0.3 dB while a report is due and under way and a frame too, 0.5 dB of margin.
    let (outcome, report) =
        saturated(acm(&[(0, 0.0), (5_000, 0.0), (25_000, 10.0), (45_000, 0.0)]), ms(50_000));
    assert_eq!(outcome.lost(), []);
    let modcods: Vec<f64> = acm_probe(&report).column("modcod").to_vec();
    for (time_s, modcod, reported, _) in rows(acm_probe(&report)) {
        let allowed = threshold_db(modcod) + 0.5 <= reported;
        assert!(allowed || modcod == 1.0 && reported.is_nan(), "{time_s} s: {modcod} at {reported} dB");
    }
    // 10 dB at the bottom: 16APSK 2/3 needs 8.97 + 0.5, 16APSK 3/4 10.21 + 0.5. At both ends 32APSK 9/10.
    assert_eq!(modcods.iter().copied().skip(10).fold(f64::INFINITY, f64::min), 18.0);
    assert_eq!((modcods[10], modcods[modcods.len() - 1]), (28.0, 28.0));
}

#[test]
fn throughput_follows_the_modcod() {
    let (_, report) = saturated(acm(&[(0, 0.0), (5_000, 0.0), (25_000, 10.0), (45_000, 0.0)]), ms(50_000));
    let modcods = acm_probe(&report).column("modcod");
    let delivered = report.series.column("forward_delivered_bytes");
    let mut compared = 0;
    for from in 0..modcods.len() - 10 {
        // A second later what was sent in these 0.5 s has arrived: 250 ms and two frames.
        let window = &modcods[from..from + 8];
        if window.iter().all(|modcod| *modcod == window[0]) {
            let bytes: f64 = delivered[from + 3..from + 8].iter().sum();
            let modcod = Modcod::new(window[0] as u8).unwrap();
            let plframe = PlFrame::new(modcod, FecFrameSpec::Normal, PilotsSpec::Off).unwrap();
            let expected = 10e6 * plframe.spectral_efficiency() * 0.5 / 8.0;
            // Within a frame of 3 ms, that is 1 %, and half a percent of encapsulation.
            assert!((bytes / expected - 0.995).abs() < 0.012, "{from}: {bytes} for {expected} bytes");
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared} windows had one MODCOD");
}

#[test]
fn after_a_sudden_fade_frames_are_lost_until_the_gateway_knows() {
    // 10 dB less at 10 s. Frames that start 250 ms earlier meet it; the report of 10 s is there at 10.25 s.
    let (outcome, report) = saturated(acm(&[(0, 0.0), (10_000, 0.0), (10_000, 10.0)]), ms(20_000));
    let lost = outcome.lost();
    let frame = Duration::from_micros(1_305);
    // A frame of 32APSK has 13 050 symbols. A packet that misses its first part is lost where it ends, a frame later.
    let (first, last) = (lost[0].1, lost[lost.len() - 1].1);
    assert!(ms(9_750) <= first && first <= ms(9_750) + frame * 2, "{first:?}");
    let next_frame = Duration::from_micros(1_629);
    assert!(ms(10_250) <= last && last <= ms(10_250) + frame + next_frame, "{last:?}");
    for (time_s, _, _, frames_lost) in rows(acm_probe(&report)) {
        assert!(frames_lost == 0.0 || (9.8..=10.3).contains(&time_s), "{time_s} s: {frames_lost} lost");
    }
}

#[test]
fn below_qpsk_one_quarter_the_link_is_out_and_it_comes_back_with_the_signal() {
    // 20 - 25 = -5 dB from 5 s to 10 s: half of the frames of QPSK 1/4 are lost at -2.35 - 0.7 dB, all at -5 dB.
    let points = [(0, 0.0), (5_000, 0.0), (5_000, 25.0), (10_000, 25.0), (10_000, 0.0)];
    let (outcome, report) = saturated(acm(&points), ms(15_000));
    let (from, until) = (ms(5_000) + Duration::from_millis(20), ms(10_000));
    let in_outage: Vec<_> =
        outcome.delivered().into_iter().filter(|(_, at)| from <= *at && *at <= until).collect();
    assert_eq!(in_outage, []);
    let modcod_at = |s: f64| rows(acm_probe(&report)).find(|row| (row.0 - s).abs() < 1e-9).unwrap().1;
    // In the outage the most robust; 250 ms after the first report of a clear sky the most efficient.
    assert_eq!([5.2, 5.3, 10.2, 10.3].map(modcod_at), [28.0, 1.0, 1.0, 28.0]);
    assert!(outcome.delivered().iter().any(|(_, at)| *at > ms(10_600)));
    assert_eq!(acm_probe(&report).column("frames_lost").iter().skip(103).sum::<f64>(), 0.0);
}

#[test]
fn a_fade_starts_with_the_workload() {
    let carrier = acm(&[(0, 0.0), (1_000, 0.0), (1_000, 10.0)]);
    let mut path = path(&link(carrier, endless()), 1);
    path.mark(ms(7_000));
    let report = path.report(ms(9_000));
    let es_n0 = report.probes["acm"].column("es_n0_db");
    assert_eq!((es_n0[0], es_n0[8], es_n0[9], es_n0[19]), (20.0, 20.0, 10.0, 10.0));
    assert_eq!(report.marked, Time::ZERO + Duration::from_secs(7));
}
