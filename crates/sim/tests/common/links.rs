//! Links of any kind that a pipe can be.

use super::*;

pub(super) fn link(temper: Temper) -> impl Strategy<Value = LinkSpec> {
    // From the least that carries QUIC's smallest datagram to jumbo frames.
    let mtu = prop_oneof![3 => Just(1500), 1 => 1228..=9000_u64];
    (mtu, direction(temper), direction(temper)).prop_map(|(mtu, forward, return_)| LinkSpec {
        name: "custom".to_owned(),
        mtu_bytes: Bytes::new(mtu),
        forward,
        return_,
    })
}

fn direction(temper: Temper) -> impl Strategy<Value = DirectionSpec> {
    let delay = prop_oneof![1 => Just(0), 3 => spread(1, 750_000_000)];
    (spread(64_000, 1_000_000_000), delay, jitter(), queue(temper), loss(temper)).prop_map(
        |(rate, delay, jitter, queue, loss)| DirectionSpec {
            capacity: CapacitySpec::Constant { rate_bps: Rate::from_bps(rate) },
            delay_ns: Duration::from_nanos(delay),
            jitter,
            queue,
            loss,
            schedule: None,
        },
    )
}

fn jitter() -> impl Strategy<Value = JitterSpec> {
    let sd = spread(1, SECOND / 10).prop_map(|sd| JitterSpec::Normal { sd_ns: Duration::from_nanos(sd) });
    prop_oneof![2 => Just(JitterSpec::None), 2 => sd, 1 => empirical()]
}

/// A few quantiles, up to a second above the delay.
fn empirical() -> impl Strategy<Value = JitterSpec> {
    let point = (0.0..=1.0, -(SECOND as i64) / 10..=SECOND as i64);
    (prop::collection::vec(point, 2..8), spread(SECOND / 1000, 10 * SECOND)).prop_map(|(points, hold)| {
        let (mut places, mut offsets): (Vec<f64>, Vec<i64>) = points.into_iter().unzip();
        let last = places.len() - 1;
        (places[0], places[last]) = (0.0, 1.0);
        places.sort_by(f64::total_cmp);
        offsets.sort_unstable();
        let points = places.into_iter().zip(offsets);
        let quantiles = points.map(|(p, offset_ns)| QuantileSpec { p, offset_ns }).collect();
        JitterSpec::Empirical { quantiles, hold_ns: Duration::from_nanos(hold) }
    })
}

fn queue(temper: Temper) -> impl Strategy<Value = QueueSpec> {
    let (least_bytes, least_packets, least_ns) = match temper {
        Temper::Mild | Temper::Lossy => (100_000, 20, SECOND),
        Temper::Any => (1, 1, 1),
    };
    prop_oneof![
        2 => spread(least_bytes, 100_000_000).prop_map(|n| QueueSpec::Bytes { limit_bytes: Bytes::new(n) }),
        2 => spread(least_packets, 100_000).prop_map(|limit_packets| QueueSpec::Packets { limit_packets }),
        2 => spread(least_ns, 20 * SECOND).prop_map(|ns| QueueSpec::Time { limit_ns: Duration::from_nanos(ns) }),
        1 => early_drop(temper, least_bytes),
        1 => codel(temper, least_bytes),
    ]
}

fn early_drop(temper: Temper, least: u64) -> impl Strategy<Value = QueueSpec> {
    let most_p = match temper {
        Temper::Mild | Temper::Lossy => 0.1,
        Temper::Any => 1.0,
    };
    (spread(least, 100_000_000), 0.0..=1.0, 0.0..=most_p).prop_map(|(limit, start, p)| {
        let start_bytes = Bytes::new((limit as f64 * start) as u64);
        QueueSpec::RandomEarlyDrop { limit_bytes: Bytes::new(limit), start_bytes, p }
    })
}

fn codel(temper: Temper, least: u64) -> impl Strategy<Value = QueueSpec> {
    // RFC 8289 section 4.4: the target is a twentieth to a tenth of the interval, the interval above the round trip.
    let times = match temper {
        Temper::Mild | Temper::Lossy => (10..=20_u64, spread(SECOND, 10 * SECOND))
            .prop_map(|(share, interval)| (interval / share, interval))
            .boxed(),
        Temper::Any => (spread(1, SECOND), spread(1, 10 * SECOND)).boxed(),
    };
    (spread(least, 100_000_000), times, switch()).prop_map(|(limit, (target, interval), ecn)| {
        QueueSpec::Codel {
            limit_bytes: Bytes::new(limit),
            target_ns: Duration::from_nanos(target),
            interval_ns: Duration::from_nanos(interval),
            ecn,
        }
    })
}

fn loss(temper: Temper) -> BoxedStrategy<LossSpec> {
    match temper {
        Temper::Mild => Just(LossSpec::None).boxed(),
        Temper::Lossy => small_loss().boxed(),
        Temper::Any => any_loss().boxed(),
    }
}

/// Two packets in a hundred: a transport repairs that sooner or later.
fn small_loss() -> impl Strategy<Value = LossSpec> {
    let burst = (0.0..0.004, 0.2..=1.0).prop_map(|(p, r)| LossSpec::GilbertElliott { p, r, h: 0.0, k: 1.0 });
    prop_oneof![
        (0.0..0.02).prop_map(|p| LossSpec::Bernoulli { p }),
        burst,
        (0.0..2e-7).prop_map(|ber| LossSpec::BitError { ber }),
        outages(5 * SECOND, SECOND / 2),
    ]
}

/// One in at least so long a period, each at most so long.
fn outages(least_period: u64, most: u64) -> impl Strategy<Value = LossSpec> {
    let kind = (1..10_u32, spread(1, most))
        .prop_map(|(weight, ns)| OutageSpec { weight, duration_ns: Duration::from_nanos(ns) });
    (spread(least_period, 1000 * SECOND), prop::collection::vec(kind, 1..4))
        .prop_map(|(ns, durations)| LossSpec::Outages { period_ns: Duration::from_nanos(ns), durations })
}

fn any_loss() -> impl Strategy<Value = LossSpec> {
    let probability = || prop_oneof![4 => 0.0..0.05, 1 => 0.0..=1.0, 1 => Just(0.0), 1 => Just(1.0)];
    prop_oneof![
        4 => Just(LossSpec::None),
        4 => probability().prop_map(|p| LossSpec::Bernoulli { p }),
        2 => (probability(), 0.0..=1.0, 0.0..=1.0, probability())
            .prop_map(|(p, r, h, lost)| LossSpec::GilbertElliott { p, r, h, k: 1.0 - lost }),
        2 => prop_oneof![3 => 0.0..1e-5, 1 => 0.0..=1.0].prop_map(|ber| LossSpec::BitError { ber }),
        2 => outages(SECOND / 1000, 10 * SECOND),
    ]
}
