//! Adaptive coding and modulation: which MODCOD the gateway sends. Model page: docs/models/acm.md.

use bentpipe_units::{Decibel, Duration, Time};

use crate::dvbs2::{FecFrameSpec, Modcod, PilotsSpec, PlFrame};
use crate::signal::EsN0;

/// The control loop of adaptive coding and modulation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct AcmSpec {
    /// How far the reported Es/N0 must be above a threshold.
    pub margin_db: f64,
    /// How much further before a more efficient MODCOD is taken.
    pub hysteresis_db: f64,
    /// From one report of the terminal to the next.
    pub report_period_ns: Duration,
    /// From the measurement until the gateway has the report.
    pub report_delay_ns: Duration,
}

/// What a silence of a day costs to catch up with stays below a minute.
pub(crate) const SHORTEST_REPORT_PERIOD: Duration = Duration::from_millis(1);

/// The control loop between a terminal that measures and the gateway that sends to it.
///
/// Report k is measured at start + k period, and the gateway has it a delay later. The terminal was logged on before the
/// start: until report 0 is there, the gateway goes by an earlier one that said the same.
pub(crate) struct Acm {
    margin_db: f64,
    hysteresis_db: f64,
    period: Duration,
    /// From the most robust to the most efficient: each needs more Es/N0 than the one before.
    ladder: Vec<PlFrame>,
    rung: usize,
    reported: Option<Decibel>,
    next: Report,
}

/// A measurement and when the gateway has it.
#[derive(Clone, Copy)]
struct Report {
    measured: Time,
    arrives: Time,
}

/// The rungs between which a report leaves the choice as it was.
#[derive(Clone, Copy)]
struct Band {
    lowest: usize,
    highest: usize,
}

impl Acm {
    /// A terminal that measures first at `start`, on a carrier of such frames.
    pub(crate) fn new(spec: &AcmSpec, fecframe: FecFrameSpec, pilots: PilotsSpec, start: Time) -> Self {
        assert!(
            spec.report_period_ns >= SHORTEST_REPORT_PERIOD,
            "from report to report it takes 1 ms at least"
        );
        assert!(spec.margin_db.is_finite() && spec.hysteresis_db >= 0.0, "hysteresis raises a threshold");
        let ladder = ladder(fecframe, pilots);
        Self {
            margin_db: spec.margin_db,
            hysteresis_db: spec.hysteresis_db,
            period: spec.report_period_ns,
            // Coming from above, the first report is free of hysteresis.
            rung: ladder.len() - 1,
            ladder,
            reported: None,
            next: Report { measured: start, arrives: start.saturating_add(spec.report_delay_ns) },
        }
    }

    /// The frame that starts at an instant not before those asked for so far.
    pub(crate) fn plframe_at(&mut self, frame_start: Time, es_n0: &EsN0) -> PlFrame {
        if self.reported.is_none() {
            self.act_on(es_n0.at(self.next.measured));
        }
        self.take_reports(frame_start, es_n0);
        self.ladder[self.rung]
    }

    /// The last report that had arrived at the latest instant asked for; none before any was asked for.
    pub(crate) fn reported(&self) -> Option<Decibel> {
        self.reported
    }

    /// When the frames may change next.
    pub(crate) fn next_arrival(&self) -> Time {
        self.next.arrives
    }

    /// Reports act one after the other, but are looked at from the last backwards: what came before one that
    /// leaves no choice no longer matters.
    fn take_reports(&mut self, now: Time, es_n0: &EsN0) {
        if now < self.next.arrives {
            return;
        }
        let earlier = now.since(self.next.arrives).as_nanos() / self.period.as_nanos();
        let report = |index: u64| es_n0.at(self.next.measured + self.period * index);
        let last = report(earlier);
        let mut band = self.band(last);
        for index in (0..earlier).rev() {
            if band.lowest == band.highest {
                break;
            }
            band = self.band(report(index)).then(band);
        }
        self.rung = band.bring(self.rung);
        self.reported = Some(last);
        self.next = self.next.later(self.period * (earlier + 1));
    }

    fn act_on(&mut self, reported: Decibel) {
        self.rung = self.band(reported).bring(self.rung);
        self.reported = Some(reported);
    }

    fn band(&self, reported: Decibel) -> Band {
        Band { lowest: self.met(reported, self.hysteresis_db), highest: self.met(reported, 0.0) }
    }

    /// The most efficient whose threshold + margin + `more_db` is met; the most robust where none is.
    fn met(&self, reported: Decibel, more_db: f64) -> usize {
        let needs = |plframe: &PlFrame| plframe.threshold().get() + self.margin_db + more_db;
        self.ladder.partition_point(|plframe| needs(plframe) <= reported.get()).saturating_sub(1)
    }
}

impl Report {
    fn later(self, span: Duration) -> Self {
        Self { measured: self.measured.saturating_add(span), arrives: self.arrives.saturating_add(span) }
    }
}

impl Band {
    fn bring(self, rung: usize) -> usize {
        rung.clamp(self.lowest, self.highest)
    }

    /// Both, one after the other: `later.bring(self.bring(rung))` for every rung.
    fn then(self, later: Self) -> Self {
        Self { lowest: later.bring(self.lowest), highest: later.bring(self.highest) }
    }
}

/// The frames that can be sent, less those beside which a more efficient one needs no more Es/N0.
pub(crate) fn ladder(fecframe: FecFrameSpec, pilots: PilotsSpec) -> Vec<PlFrame> {
    let mut ladder: Vec<PlFrame> =
        Modcod::all().filter_map(|modcod| PlFrame::new(modcod, fecframe, pilots)).collect();
    ladder.sort_by(|a, b| a.spectral_efficiency().total_cmp(&b.spectral_efficiency()));
    let mut least = Decibel::new(f64::INFINITY);
    let mut rungs: Vec<PlFrame> = Vec::new();
    for plframe in ladder.into_iter().rev() {
        if plframe.threshold() < least {
            least = plframe.threshold();
            rungs.push(plframe);
        }
    }
    rungs.reverse();
    rungs
}

#[cfg(test)]
mod tests {
    use crate::{AttenuationPoint, AttenuationSpec, EsN0Spec, LegSpec};
    use proptest::prelude::*;

    use super::*;
    use crate::dvbs2::frame_error;

    const PERIOD_MS: u64 = 100;
    const DELAY_MS: u64 = 250;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn acm(margin_db: f64, hysteresis_db: f64) -> Acm {
        let spec = AcmSpec {
            margin_db,
            hysteresis_db,
            report_period_ns: Duration::from_millis(PERIOD_MS),
            report_delay_ns: Duration::from_millis(DELAY_MS),
        };
        Acm::new(&spec, FecFrameSpec::Normal, PilotsSpec::Off, Time::ZERO)
    }

    /// 20 dB less an attenuation in (ms, dB) from time zero on.
    fn faded(points: &[(u64, f64)]) -> EsN0 {
        let leg = |clear_sky_db, points: &[(u64, f64)]| {
            let point = |&(at_ms, db)| AttenuationPoint { at_ns: Duration::from_millis(at_ms), db };
            let points = points.iter().map(point).collect();
            LegSpec { clear_sky_db, attenuation: AttenuationSpec { points, period_ns: None } }
        };
        let mut es_n0 = EsN0::new(&EsN0Spec { up: leg(1_000.0, &[]), down: leg(20.0, points) });
        es_n0.set_origin(Time::ZERO);
        es_n0
    }

    /// Number of the MODCOD in each millisecond.
    fn modcods(acm: &mut Acm, es_n0: &EsN0, until_ms: u64) -> Vec<u8> {
        (0..until_ms).map(|at| acm.plframe_at(ms(at), es_n0).modcod().number()).collect()
    }

    /// (ms, number of the MODCOD) wherever it is another than before.
    fn switches(acm: &mut Acm, es_n0: &EsN0, until_ms: u64) -> Vec<(u64, u8)> {
        let numbers = modcods(acm, es_n0, until_ms);
        let changed = |at: &usize| *at == 0 || numbers[at - 1] != numbers[*at];
        (0..numbers.len()).filter(changed).map(|at| (at as u64, numbers[at])).collect()
    }

    /// The rule itself, report by report.
    fn by_the_rule(acm: &Acm, es_n0: &EsN0, now_ms: u64) -> PlFrame {
        let needs = |rung: usize| acm.ladder[rung].threshold().get() + acm.margin_db;
        let best = |x: f64, more_db: f64| (0..acm.ladder.len()).rev().find(|&r| needs(r) + more_db <= x);
        let mut chosen = Some(best(es_n0.at(Time::ZERO).get(), 0.0).unwrap_or(0));
        for k in (0..).take_while(|k| k * PERIOD_MS + DELAY_MS <= now_ms) {
            let x = es_n0.at(ms(k * PERIOD_MS)).get();
            chosen = match chosen {
                None => Some(best(x, 0.0).unwrap_or(0)),
                Some(present) if needs(present) > x => Some(best(x, 0.0).unwrap_or(0)),
                Some(present) => Some(present.max(best(x, acm.hysteresis_db).unwrap_or(0))),
            };
        }
        acm.ladder[chosen.unwrap_or(0)]
    }

    #[test]
    fn a_modcod_beside_which_a_more_efficient_one_needs_less_is_never_used() {
        // Table 13: for instance 8PSK 5/6 (2.479, 9.35 dB) beside 16APSK 2/3 (2.637, 8.97 dB).
        let numbers = |fecframe, pilots| -> Vec<u8> {
            ladder(fecframe, pilots).iter().map(|plframe| plframe.modcod().number()).collect()
        };
        // By efficiency QPSK 9/10 (11) comes after 8PSK 3/5 (12).
        let normal = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 11, 13, 14, 18, 19, 20, 21, 24, 25, 26, 27, 28];
        for pilots in [PilotsSpec::Off, PilotsSpec::On] {
            assert_eq!(numbers(FecFrameSpec::Normal, pilots), normal);
        }
        // No code rate of 9/10. QPSK 8/9 (10) carries more than 8PSK 3/5 (12) only without pilots, of which
        // its longer frames have more: 1.7280 beside 1.7253 bit per symbol, with them 1.6908 beside 1.6920.
        let short = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 13, 14, 18, 19, 20, 21, 24, 25, 26, 27];
        assert_eq!(numbers(FecFrameSpec::Short, PilotsSpec::Off), short);
        let without_10: Vec<u8> = short.into_iter().filter(|number| *number != 10).collect();
        assert_eq!(numbers(FecFrameSpec::Short, PilotsSpec::On), without_10);
    }

    #[test]
    fn a_terminal_is_logged_on_before_the_link_starts() {
        let (mut acm, es_n0) = (acm(0.5, 0.3), faded(&[]));
        assert_eq!((acm.next_arrival(), acm.reported()), (ms(DELAY_MS), None));
        assert_eq!(acm.plframe_at(ms(0), &es_n0).modcod().number(), 28);
        assert_eq!(acm.reported(), Some(Decibel::new(20.0)));
        assert_eq!(acm.plframe_at(ms(DELAY_MS), &es_n0).modcod().number(), 28);
        assert_eq!(acm.next_arrival(), ms(DELAY_MS + PERIOD_MS));
    }

    #[test]
    fn the_first_report_is_no_switch_and_needs_no_hysteresis() {
        // 20 - 3.3 = 16.7 dB: above 16.05 + 0.5, below 16.05 + 0.5 + 0.3.
        assert_eq!(acm(0.5, 0.3).plframe_at(ms(DELAY_MS), &faded(&[(0, 3.3)])).modcod().number(), 28);
    }

    #[test]
    fn through_a_fade_of_10_db_and_back_it_switches_when_the_thresholds_of_table_13_say() {
        // A decibel a second: 20 dB - t, then from 20 s on 10 dB + (t - 20 s).
        let es_n0 = faded(&[(0, 0.0), (10_000, 10.0), (20_000, 10.0), (30_000, 0.0)]);
        let found = switches(&mut acm(0.5, 0.3), &es_n0, 40_000);
        let expected = [
            (0, 28),
            // Down: the first tenth of a second at which 20 dB - t < threshold + 0.5 dB, and 250 ms.
            (3_750, 27), // 16.05: after 3.45 s
            (4_150, 26), // 15.69: 3.81
            (5_550, 25), // 14.28: 5.22
            (6_150, 24), // 13.64: 5.86
            (7_050, 21), // 12.73: 6.77
            (8_150, 20), // 11.61: 7.89
            (8_750, 19), // 11.03: 8.47
            (9_550, 18), // 10.21: 9.29
            // Up: the first tenth at which 10 dB + (t - 20 s) >= threshold + 0.8 dB, and 250 ms.
            (21_350, 19), // 10.21: 21.01 s
            (22_150, 20), // 11.03: 21.83
            (22_750, 21), // 11.61: 22.41
            (23_850, 24), // 12.73: 23.53
            (24_750, 25), // 13.64: 24.44
            (25_350, 26), // 14.28: 25.08
            (26_750, 27), // 15.69: 26.49
            (27_150, 28), // 16.05: 26.85
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn frames_are_lost_only_while_a_report_is_on_its_way() {
        // 5 dB within a second. The gateway knows at most a period and a delay later.
        let es_n0 = faded(&[(0, 0.0), (10_000, 0.0), (11_000, 5.0)]);
        let mut acm = acm(0.3, 0.0);
        let lossy: Vec<u64> = (DELAY_MS..20_000)
            .filter(|&at| frame_error(acm.plframe_at(ms(at), &es_n0), es_n0.at(ms(at))) > 1e-7)
            .collect();
        let (first, last) = (lossy[0], lossy[lossy.len() - 1]);
        // 20 dB less 5 dB/s is below 16.05 dB after 790 ms. It was 15.5 dB at 10.9 s, and the MODCOD that
        // this allows does for the 15 dB at the end.
        assert_eq!((first, last), (10_791, 10_900 + DELAY_MS - 1));
    }

    #[test]
    fn where_nothing_is_met_the_most_robust_one_is_sent() {
        let es_n0 = faded(&[(0, 40.0)]);
        assert_eq!(acm(0.0, 0.0).plframe_at(ms(1_000), &es_n0).modcod().number(), 1);
    }

    #[test]
    fn hysteresis_keeps_a_signal_at_a_threshold_from_switching_to_and_fro() {
        // Between 16.0 and 16.1 dB from report to report, with 32APSK 9/10 at 16.05 dB.
        let points: Vec<(u64, f64)> =
            (0..100).map(|k| (k * PERIOD_MS, if k % 2 == 0 { 3.9 } else { 4.0 })).collect();
        let es_n0 = faded(&points);
        // 28, 27, and there it stays; without hysteresis every report but the first switches.
        assert_eq!(switches(&mut acm(0.0, 0.1), &es_n0, 10_000), [(0, 28), (350, 27)]);
        assert_eq!(switches(&mut acm(0.0, 0.0), &es_n0, 10_000).len(), 98);
    }

    #[test]
    fn a_day_of_silence_is_caught_up_with() {
        // 16.3 dB, within the band of 32APSK 9/10 all day long: no report settles the matter.
        let es_n0 = faded(&[(0, 0.0), (1_000, 3.7)]);
        let mut acm = acm(0.0, 0.5);
        assert_eq!(acm.plframe_at(ms(86_400_000), &es_n0).modcod().number(), 28);
        assert_eq!(acm.next_arrival(), ms(86_400_000 + 50));
    }

    proptest! {
        #[test]
        fn whatever_is_asked_when_the_rule_is_kept_report_by_report(
            mut points in prop::collection::vec((0..20_000u64, 0.0..25.0f64), 0..20),
            mut asked in prop::collection::vec(0..25_000u64, 1..20),
            margin_db in 0.0..2.0f64, hysteresis_db in 0.0..3.0f64,
        ) {
            points.sort_by_key(|point| point.0);
            asked.sort_unstable();
            let (mut acm, es_n0) = (acm(margin_db, hysteresis_db), faded(&points));
            for now in asked {
                let expected = by_the_rule(&acm, &es_n0, now);
                prop_assert_eq!(acm.plframe_at(ms(now), &es_n0), expected);
            }
        }

        #[test]
        fn no_frame_needs_more_than_the_last_report_that_arrived(
            mut points in prop::collection::vec((0..20_000u64, 0.0..25.0f64), 0..20),
            margin_db in 0.0..2.0f64, hysteresis_db in 0.0..3.0f64,
        ) {
            points.sort_by_key(|point| point.0);
            let (mut acm, es_n0) = (acm(margin_db, hysteresis_db), faded(&points));
            for now in (0..25_000).step_by(7) {
                let plframe = acm.plframe_at(ms(now), &es_n0);
                let reported = acm.reported().expect("asked for");
                let last = now.saturating_sub(DELAY_MS) / PERIOD_MS * PERIOD_MS;
                prop_assert_eq!(reported, es_n0.at(ms(last)));
                let met = plframe.threshold().get() + margin_db <= reported.get();
                prop_assert!(met || plframe.modcod().number() == 1);
            }
        }
    }
}
