//! Epochs of a constellation. Bounds of estimates are five standard errors; the seeds are fixed.

use crate::common::*;
use crate::schedule::table::{scheduled, started};
use bentpipe_link::{
    CapacityVariationSpec, ChoiceSpec, ConstellationSpec, Direction, DirectionSpec, DropCause,
    EpochDelaySpec, EpochSpec, GeometrySpec, QuantileSpec, ScheduleSpec, ShellSpec, SilenceKindSpec,
    SilenceSpec, SiteSpec, check, describe, schedule_series,
};
use bentpipe_units::{Duration, Rate, Time};
use proptest::prelude::*;

const MS: fn(u64) -> Duration = Duration::from_millis;
const PERIOD: Duration = Duration::from_secs(15);
/// 2026-01-01T00:00:00Z, a multiple of 15 s.
const NEW_YEAR_NS: u64 = 1_767_225_600_000_000_000;
const SIGMAS: f64 = 5.0;

fn epochs() -> EpochSpec {
    EpochSpec {
        period_ns: PERIOD,
        phase_ns: Duration::from_secs(12),
        edge_jitter_ns: Duration::ZERO,
        start_unix_ns: NEW_YEAR_NS,
        start_span_ns: Duration::ZERO,
        silence: None,
        capacity: None,
        delay: EpochDelaySpec::None,
    }
}

fn silence(state: SilenceKindSpec) -> SilenceSpec {
    SilenceSpec {
        state,
        median_ns: MS(80),
        p90_ns: MS(135),
        min_ns: MS(50),
        max_ns: MS(300),
        lead_min_ns: MS(10),
        lead_max_ns: MS(20),
    }
}

fn over(spec: EpochSpec) -> DirectionSpec {
    scheduled(ScheduleSpec::Epochs(Box::new(spec)), 50_000_000, MS(20))
}

/// A column of the series of 1000 epochs.
fn column(spec: &EpochSpec, name: &str, seed: u64) -> Vec<f64> {
    let series = schedule_series(&symmetric(over(spec.clone())), seed, PERIOD * 1000).unwrap();
    series.column(name).to_vec()
}

#[test]
fn epochs_begin_at_twelve_seconds_of_a_quarter_minute() {
    let handovers = column(&epochs(), "handovers", 0);
    for (tenth, found) in handovers.iter().enumerate() {
        // Rows of 100 ms: that from 12.0 to 12.1 s, and every 15 s.
        let expected = if tenth % 150 == 120 { 1.0 } else { 0.0 };
        assert_eq!(*found, expected, "in the row that begins at {tenth} tenths of a second");
    }
}

#[test]
fn the_phase_of_a_drawn_start_is_the_same_for_one_seed_and_uniform_over_seeds() {
    let spec = EpochSpec { start_span_ns: Duration::from_secs(86_400), ..epochs() };
    let first = |seed| {
        let series = schedule_series(&symmetric(over(spec.clone())), seed, PERIOD).unwrap();
        series.column("handovers").iter().position(|count| *count > 0.0).unwrap() as f64
    };
    assert_eq!(first(7), first(7));
    let mean = (0..400).map(first).sum::<f64>() / 400.0;
    // Uniform on 0 to 149 tenths of a second: mean 74.5 and standard deviation 150 / sqrt(12).
    let bound = SIGMAS * 150.0 / 12f64.sqrt() / 20.0;
    assert!((mean - 74.5).abs() < bound, "{mean}");
}

#[test]
fn silences_are_in_both_directions_at_every_edge_and_have_the_distribution_of_the_spec() {
    let spec = EpochSpec { silence: Some(silence(SilenceKindSpec::Hold)), ..epochs() };
    let (forward, return_) = (column(&spec, "forward_silence_s", 3), column(&spec, "return_silence_s", 3));
    assert_eq!(forward, return_);
    // An edge is 12 s after the start of 15 s, so that each chunk of 15 s has one silence.
    let mut durations: Vec<f64> = forward.chunks(150).map(|rows| rows.iter().sum::<f64>() * 1e3).collect();
    durations.sort_by(f64::total_cmp);
    assert_eq!(durations.len(), 1000);
    assert!(durations[0] >= 50.0 - 1e-6 && durations[999] <= 300.0 + 1e-6);
    // sqrt(p (1 - p) / n) / density; the density of ln D at its median is 1 / (sd sqrt(2 pi)), sd = 0.408.
    assert!((durations[500] - 80.0).abs() < SIGMAS * 80.0 * 0.408 * 2.507 * 0.5 / 1000f64.sqrt());
    assert!((durations[900] - 135.0).abs() < SIGMAS * 135.0 * 0.408 / 0.1755 * 0.3 / 1000f64.sqrt());
}

#[test]
fn a_silence_that_holds_delays_and_one_that_loses_takes() {
    for (state, expected) in [(SilenceKindSpec::Hold, 0), (SilenceKindSpec::Lose, 1)] {
        let spec = EpochSpec { silence: Some(silence(state)), ..epochs() };
        let mut path = started(over(spec), 1);
        // One packet each 10 ms for a minute: edges at 12, 27, 42 and 57 s.
        let offers = forward_offers((0..6_000).map(|i| i * 10_000_000), 1500);
        let outcome = punctually(&mut path, &offers);
        let lost = losses(&outcome, Direction::Forward, DropCause::Channel);
        let near = |at: &Time| {
            let since = (at.as_nanos() as f64 / 1e9 + 3.0) % 15.0;
            !(0.3..=14.98).contains(&since)
        };
        assert!(lost.iter().all(|(_, at)| near(at)));
        // Four silences of 50 to 300 ms: 5 to 30 packets each.
        assert!((20 * expected..=120 * expected).contains(&lost.len()), "{} packets", lost.len());
        let late = deliveries(&outcome, Direction::Forward);
        let waits = late.iter().map(|(number, at)| at.since(offers[*number].at));
        // 20 ms and 240 us without a silence.
        let longest = waits.max().unwrap();
        assert_eq!(longest > MS(50), expected == 0, "{longest:?}");
    }
}

#[test]
fn the_capacity_varies_between_epochs_and_less_within_them() {
    let capacity = CapacityVariationSpec {
        between_cv: 0.2,
        within_cv: 0.07,
        within_step_ns: Duration::from_secs(1),
        within_correlation: 0.5,
    };
    let spec = EpochSpec { capacity: Some(capacity), phase_ns: Duration::ZERO, ..epochs() };
    let rates = column(&spec, "forward_capacity_bps", 5);
    assert_ne!(rates, column(&spec, "return_capacity_bps", 5));
    let n = 1000.0;
    let epoch_means: Vec<f64> =
        rates.chunks(150).map(|rows| rows.iter().sum::<f64>() / 150.0 / 50e6).collect();
    assert_eq!(epoch_means.len(), 1000);
    let mean = epoch_means.iter().sum::<f64>() / n;
    assert!((mean - 1.0).abs() < SIGMAS * 0.2 / n.sqrt(), "{mean}");
    let sd = (epoch_means.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / n).sqrt();
    // Values within an epoch add sd 0.07 sqrt((1 + 2 * 0.5 / 0.5) / 15) at most to the means of epochs.
    assert!((0.2 - 0.025..0.2 + 0.035).contains(&sd), "{sd}");
    let within = rates.chunks(150).map(|rows| {
        let values: Vec<f64> = rows.iter().step_by(10).copied().collect();
        let mean = values.iter().sum::<f64>() / 15.0;
        values.iter().map(|value| (value / mean - 1.0) * (value / mean - 1.0)).sum::<f64>() / 15.0
    });
    let within = (within.sum::<f64>() / n).sqrt();
    // Less the variance of the epoch's own mean, a fifth of it at this correlation.
    assert!((0.055..0.07).contains(&within), "{within}");
}

#[test]
fn each_epoch_has_a_delay_of_its_own_for_both_directions() {
    let quantiles = [(0.0, 0), (0.9, 2_000_000), (1.0, 10_000_000)]
        .map(|(p, offset_ns)| QuantileSpec { p, offset_ns })
        .to_vec();
    let spec = EpochSpec { delay: EpochDelaySpec::Steps { quantiles }, phase_ns: Duration::ZERO, ..epochs() };
    let delays = column(&spec, "forward_delay_s", 5);
    assert_eq!(delays, column(&spec, "return_delay_s", 5));
    assert!(delays.chunks(150).all(|rows| rows.iter().all(|delay| *delay == rows[0])));
    let mut offsets: Vec<f64> = delays.iter().step_by(150).map(|delay| (delay - 0.02) * 1e3).collect();
    offsets.sort_by(f64::total_cmp);
    // The 45th percentile is at half of 2 ms.
    assert!((offsets[450] - 1.0).abs() < SIGMAS * 0.0157 * 2.0 / 0.9, "{}", offsets[450]);
    assert!(offsets[0] >= 0.0 && offsets[999] <= 10.0);
}

fn geostationary(longitude_deg: f64) -> GeometrySpec {
    let site = |latitude_deg, longitude_deg| SiteSpec { latitude_deg, longitude_deg, altitude_m: 0.0 };
    GeometrySpec {
        constellation: ConstellationSpec::Geostationary { longitude_deg },
        site: site(48.43, -123.37),
        gateways: vec![site(39.0, -104.8)],
        minimum_elevation_deg: 5.0,
        gateway_minimum_elevation_deg: 5.0,
        choice: ChoiceSpec::Highest,
        isl: None,
    }
}

fn starlink() -> GeometrySpec {
    let shell = ShellSpec {
        planes: 72,
        satellites_per_plane: 22,
        altitude_m: 550e3,
        inclination_deg: 53.0,
        phasing: 39,
        raan_spread_deg: 360.0,
        raan_deg: 0.0,
        argument_of_latitude_deg: 0.0,
        epoch_unix_ns: NEW_YEAR_NS as i64,
    };
    let constellation = ConstellationSpec::Walker { shells: vec![shell] };
    let gateways = vec![SiteSpec { latitude_deg: 47.48, longitude_deg: -121.76, altitude_m: 0.0 }];
    let choice = ChoiceSpec::Weighted;
    GeometrySpec { constellation, gateways, choice, minimum_elevation_deg: 25.0, ..geostationary(0.0) }
}

fn with_geometry(geometry: GeometrySpec) -> EpochSpec {
    EpochSpec { delay: EpochDelaySpec::Geometry { geometry, step_ns: MS(100) }, ..epochs() }
}

#[test]
fn a_geostationary_satellite_adds_one_delay_for_ever() {
    let spec = EpochSpec { period_ns: Duration::from_secs(86_400), ..with_geometry(geostationary(-115.0)) };
    let delays = schedule_series(&symmetric(over(spec)), 0, Duration::from_secs(60)).unwrap();
    let delays = delays.column("forward_delay_s");
    // 20 ms of its own and two slant ranges between 35 786 km and 41 679 km.
    assert!((0.02 + 0.2387..0.02 + 0.2781).contains(&delays[0]), "{}", delays[0]);
    assert!(delays.iter().all(|delay| *delay == delays[0]));
}

#[test]
fn a_low_satellite_moves_within_an_epoch_and_another_one_serves_after_it() {
    let spec = EpochSpec { phase_ns: Duration::ZERO, ..with_geometry(starlink()) };
    let (delays, elevations) = (column(&spec, "forward_delay_s", 4), column(&spec, "elevation_deg", 4));
    assert_eq!(delays, column(&spec, "return_delay_s", 4));
    // From the bounds of the slant range: 550 km straight up, 1123 km at 25 degrees, twice, at c; within 15 s a
    // satellite may set by a degree or two, and the gateway is 200 km away.
    assert!(delays.iter().all(|delay| (0.0236..0.0286).contains(delay)));
    assert!(elevations.iter().all(|elevation| (22.0..=90.0).contains(elevation)));
    // At most 7.5 km/s there and as much on the way to the gateway: 5 us in 100 ms.
    let steps = |rows: &[f64]| rows.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
    assert!(delays.chunks(150).all(|rows| steps(rows) < 5.1e-6));
    let mut edges: Vec<f64> = delays
        .chunks(150)
        .zip(delays.chunks(150).skip(1))
        .map(|(one, next)| (next[0] - one[149]).abs())
        .collect();
    edges.sort_by(f64::total_cmp);
    // Another satellite, tenths of milliseconds further or nearer.
    assert!(edges[edges.len() / 2] > 2e-4, "{}", edges[edges.len() / 2]);
}

#[test]
fn where_no_satellite_serves_the_path_is_out() {
    let mut geometry = starlink();
    geometry.site.latitude_deg = 85.0;
    let spec = with_geometry(geometry);
    let series = schedule_series(&symmetric(over(spec)), 0, Duration::from_secs(30)).unwrap();
    assert!(series.column("return_outage_s").iter().all(|out| (out - 0.1).abs() < 1e-9));
    assert!(series.column("elevation_deg").iter().all(|elevation| elevation.is_nan()));
}

#[test]
fn epochs_in_which_no_satellite_serves_count_for_no_delay() {
    let range = |geometry| {
        let forward = describe(&symmetric(over(with_geometry(geometry)))).unwrap().forward;
        (forward.shortest_delay_ns, forward.longest_delay_ns)
    };
    let mut few = starlink();
    let ConstellationSpec::Walker { shells } = &mut few.constellation else { unreachable!() };
    shells[0] = ShellSpec { planes: 6, satellites_per_plane: 8, phasing: 0, ..shells[0].clone() };
    let hour = schedule_series(&symmetric(over(with_geometry(few.clone()))), 0, PERIOD * 240).unwrap();
    let outages = hour.column("forward_outage_s");
    assert!(
        outages.iter().any(|out| *out > 0.0) && outages.contains(&0.0),
        "some epochs of the hour are out"
    );
    // 20 ms of its own, and at least 550 km up and down at c: 3.67 ms.
    assert!(range(few.clone()).0 > Duration::from_micros(23_600), "{:?}", range(few));
    let mut nobody = starlink();
    nobody.site.latitude_deg = 85.0;
    assert_eq!(range(nobody), (MS(20), MS(20)));
}

#[test]
fn edges_that_move_stay_in_order_and_within_their_bounds() {
    let spec = EpochSpec { edge_jitter_ns: Duration::from_secs(3), phase_ns: Duration::ZERO, ..epochs() };
    let handovers = column(&spec, "handovers", 9);
    let edges: Vec<f64> = handovers
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0.0)
        .map(|(row, _)| row as f64 / 10.0)
        .collect();
    assert!((998..=1001).contains(&edges.len()));
    assert!(edges.windows(2).all(|pair| (8.9..=21.1).contains(&(pair[1] - pair[0]))));
    let off = edges.iter().map(|edge| (edge + 7.5) % 15.0 - 7.5);
    assert!(off.clone().all(|off| (-3.1..=3.1).contains(&off)));
    assert!(off.clone().any(|off| off < -2.0) && off.clone().any(|off| off > 2.0));
}

#[test]
fn epochs_that_cannot_be_are_refused_by_their_field() {
    let refused = |spec| check(&symmetric(over(spec))).unwrap_err().to_string();
    assert_eq!(
        refused(EpochSpec { phase_ns: PERIOD, ..epochs() }),
        "forward.schedule.phase_ns: expected less than the period of 15000000000 ns, found 15000000000"
    );
    let long = SilenceSpec { max_ns: Duration::from_secs(4), ..silence(SilenceKindSpec::Hold) };
    assert_eq!(
        refused(EpochSpec { silence: Some(long), ..epochs() }),
        "forward.schedule.silence.max_ns: expected with lead_max_ns at most 3750000000 ns, a quarter of the period, \
         found 4000000000"
    );
    let every = |period_ns| EpochSpec { period_ns, phase_ns: Duration::ZERO, ..epochs() };
    assert_eq!(check(&symmetric(over(every(MS(100))))), Ok(()));
    assert_eq!(
        refused(every(Duration::from_nanos(99_999_999))),
        "forward.schedule.period_ns: expected 100000000 at least, found 99999999"
    );
    let moving = |step_ns| EpochSpec {
        delay: EpochDelaySpec::Geometry { geometry: geostationary(-115.0), step_ns },
        ..epochs()
    };
    assert_eq!(check(&symmetric(over(moving(MS(10))))), Ok(()));
    assert_eq!(
        refused(moving(Duration::from_nanos(9_999_999))),
        "forward.schedule.delay.step_ns: expected 10000000 at least, found 9999999"
    );
    let varying = |within_step_ns| {
        let [between_cv, within_cv, within_correlation] = [0.2, 0.1, 0.5];
        let capacity = CapacityVariationSpec { between_cv, within_cv, within_step_ns, within_correlation };
        EpochSpec { capacity: Some(capacity), ..epochs() }
    };
    assert_eq!(check(&symmetric(over(varying(MS(1))))), Ok(()));
    assert_eq!(
        refused(varying(Duration::from_nanos(999_999))),
        "forward.schedule.capacity.within_step_ns: expected 1000000 at least, found 999999"
    );
    assert!(
        refused(EpochSpec { start_unix_ns: 0, ..epochs() }).starts_with("forward.schedule.start_unix_ns: ")
    );
}

/// Any epochs, from ten to one in two minutes.
pub fn any_epochs() -> impl Strategy<Value = EpochSpec> {
    let capacity =
        (0.0..1.0f64, 0.0..0.5f64, 1..2_000u64, 0.0..0.99f64).prop_map(|(between, within, step, rho)| {
            CapacityVariationSpec {
                between_cv: between,
                within_cv: within,
                within_step_ns: MS(step),
                within_correlation: rho,
            }
        });
    let state = prop::sample::select(vec![SilenceKindSpec::Hold, SilenceKindSpec::Lose]);
    let delay = prop_oneof![
        Just(EpochDelaySpec::None),
        (-90.0..=90.0f64, -180.0..=180.0f64, 10..1_000u64).prop_map(|(latitude_deg, longitude_deg, step)| {
            let mut geometry = starlink();
            geometry.site = SiteSpec { latitude_deg, longitude_deg, altitude_m: 0.0 };
            EpochDelaySpec::Geometry { geometry, step_ns: MS(step) }
        }),
    ];
    let parts = (prop::option::of(capacity), prop::option::of(state), delay);
    (100..120_000u64, 0.0..1.0f64, 0.0..=0.25f64, parts).prop_map(
        |(period, phase, jitter, (capacity, state, delay))| {
            let period_ns = MS(period);
            let quarter = period_ns.mul_f64(0.125);
            EpochSpec {
                period_ns,
                phase_ns: period_ns.mul_f64(phase * 0.999),
                edge_jitter_ns: period_ns.mul_f64(jitter * 0.999),
                start_span_ns: Duration::from_secs(3_600),
                capacity,
                delay,
                silence: state.map(|state| SilenceSpec {
                    max_ns: quarter,
                    min_ns: Duration::ZERO,
                    lead_min_ns: Duration::ZERO,
                    lead_max_ns: quarter,
                    ..silence(state)
                }),
                ..epochs()
            }
        },
    )
}

#[test]
fn a_start_that_is_named_is_the_start() {
    // 3 s before an edge.
    let spec = EpochSpec { start_unix_ns: NEW_YEAR_NS + 9_000_000_000, ..epochs() };
    let handovers = column(&spec, "handovers", 0);
    assert_eq!(handovers.iter().position(|count| *count > 0.0), Some(30));
    let rate = Rate::from_bps(50_000_000).as_bps() as f64;
    assert!(column(&spec, "forward_capacity_bps", 0).iter().all(|bps| (bps - rate).abs() < 1.0));
}
