//! The growth of the RTT over an interval: the least-squares line through (departure, RTT).

/// Departures are counted in ticks of 16 microseconds, so that sums of products fit 64 bits.
const TICK_US: u64 = 16;
const MAX_TICKS: u64 = (1 << 20) - 1;
const MAX_RTT_US: u64 = (1 << 23) - 1;
const MAX_SAMPLES: u64 = (1 << 16) - 1;
const MILLION: u64 = 1_000_000;
/// No RTT grows faster than this for long: it bounds products.
const MAX_GROWTH_PPM: u64 = 10_000_000;
/// The paper's low-pass filter.
const MIN_GROWTH_PPM: u64 = 10_000;

/// Sums over the samples of an interval: t in ticks, y in microseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    n: u64,
    t: u64,
    y: u64,
    tt: u64,
    ty: u64,
    yy: u64,
    first: u64,
    last: u64,
}

impl Line {
    pub const EMPTY: Self = Self { n: 0, t: 0, y: 0, tt: 0, ty: 0, yy: 0, first: 0, last: 0 };

    /// A packet that left `departure_us` after the interval opened took `rtt_us`.
    pub fn add(&mut self, departure_us: u64, rtt_us: u64) {
        if self.n == MAX_SAMPLES {
            return;
        }
        let t = (departure_us / TICK_US).min(MAX_TICKS);
        let y = rtt_us.min(MAX_RTT_US);
        if self.n == 0 {
            (self.first, self.last) = (t, t);
        }
        self.n += 1;
        self.t += t;
        self.y += y;
        self.tt += t * t;
        self.ty += t * y;
        self.yy += y * y;
        self.first = self.first.min(t);
        self.last = self.last.max(t);
    }

    /// max(0, dRTT/dt) in millionths; zero when it is too small or drowns in the scatter of the samples.
    pub fn growth_ppm(&self) -> u64 {
        if self.n < 2 {
            return 0;
        }
        let centred = self.centred();
        let Some(growth) = centred.slope_ppm() else { return 0 };
        let rise = growth * (self.last - self.first) * TICK_US / MILLION;
        let drowns = rise * rise < centred.residual(self.n, growth);
        if growth < MIN_GROWTH_PPM || drowns { 0 } else { growth }
    }

    /// Sums of products of deviations from the means, whose whole parts are taken off exactly.
    fn centred(&self) -> Centred {
        let (mean_t, mean_y) = (self.t / self.n, self.y / self.n);
        let (rest_t, rest_y) = (self.t % self.n, self.y % self.n);
        let above = self.ty + self.n * mean_t * mean_y;
        let below = mean_t * self.y + mean_y * self.t + rest_t * rest_y / self.n;
        Centred {
            tt: self.tt + self.n * mean_t * mean_t - 2 * mean_t * self.t - rest_t * rest_t / self.n,
            ty: above.saturating_sub(below),
            yy: self.yy + self.n * mean_y * mean_y - 2 * mean_y * self.y - rest_y * rest_y / self.n,
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Centred {
    tt: u64,
    /// Zero when the line falls.
    ty: u64,
    yy: u64,
}

impl Centred {
    fn slope_ppm(&self) -> Option<u64> {
        let (mut rise, mut run) = (self.ty, self.tt);
        while rise >= 1 << 46 {
            rise >>= 1;
            run >>= 1;
        }
        (rise > 0 && run > 0).then(|| (rise * (MILLION / TICK_US) / run).min(MAX_GROWTH_PPM))
    }

    /// Mean square of what the line leaves unexplained.
    fn residual(&self, n: u64, growth: u64) -> u64 {
        let explained = self.ty / n / 1_000 * (growth * TICK_US) / 1_000;
        (self.yy / n).saturating_sub(explained)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(rtt_us: impl Fn(u64) -> u64) -> Line {
        let mut line = Line::EMPTY;
        for packet in 0..500 {
            line.add(packet * 1_200, rtt_us(packet));
        }
        line
    }

    #[test]
    fn a_steady_rise_is_found() {
        // 1.2 ms between packets, 60 microseconds more for each: 0.05.
        let growth = line(|packet| 600_000 + 60 * packet).growth_ppm();
        assert!(growth.abs_diff(50_000) < 50, "{growth}");
    }

    #[test]
    fn a_fall_counts_as_none() {
        assert_eq!(line(|packet| 900_000 - 60 * packet).growth_ppm(), 0);
    }

    #[test]
    fn a_rise_below_one_per_cent_counts_as_none() {
        assert_eq!(line(|packet| 600_000 + 11 * packet).growth_ppm(), 0);
        assert!(line(|packet| 600_000 + 13 * packet).growth_ppm() > 0);
    }

    #[test]
    fn a_rise_within_the_scatter_counts_as_none() {
        // The line rises by 9 ms (0.015) over the interval; samples scatter by 5 or by 20 ms around it.
        let noisy = |amplitude: u64| {
            line(move |packet| 600_000 + 18 * packet + amplitude * (packet % 2)).growth_ppm()
        };
        assert!(noisy(10_000).abs_diff(15_000) < 300, "{}", noisy(10_000));
        assert_eq!(noisy(40_000), 0);
    }

    #[test]
    fn extreme_samples_do_not_overflow() {
        let mut line = Line::EMPTY;
        for packet in 0..70_000_u64 {
            line.add(packet * u64::from(u32::MAX), if packet % 2 == 0 { 0 } else { u64::MAX });
        }
        assert!(line.growth_ppm() <= MAX_GROWTH_PPM);
    }

    /// A single sample.
    fn sample(departure_us: u64, rtt_us: u64) -> Line {
        let mut line = Line::EMPTY;
        line.add(departure_us, rtt_us);
        line
    }

    #[test]
    fn departures_are_told_apart_in_ticks_of_16_microseconds() {
        assert_eq!([0, 15, 16, 31, 32].map(|us| sample(us, 600_000).t), [0, 0, 1, 1, 2]);
    }

    #[test]
    fn sums_of_products_are_bounded_by_2_to_the_62nd() {
        // 2^16 samples of 2^20 ticks (17 s) and 2^23 microseconds (8 s): 2^16 x 2^23 x 2^23 at most.
        let extreme = sample(u64::MAX, u64::MAX);
        assert_eq!((extreme.t, extreme.y), ((1 << 20) - 1, (1 << 23) - 1));
        let mut line = Line::EMPTY;
        (0..70_000).for_each(|packet| line.add(packet, 600_000));
        assert_eq!(line.n, (1 << 16) - 1);
    }

    #[test]
    fn no_rtt_grows_faster_than_ten_times_the_clock() {
        // 200 ms in 16 ms.
        let mut line = sample(0, 600_000);
        line.add(16_000, 800_000);
        assert_eq!(line.growth_ppm(), 10_000_000);
    }

    #[test]
    fn deviations_from_the_means_are_those_of_the_definition() {
        let mut line = Line::EMPTY;
        for (t, y) in [(1, 100), (2, 140), (3, 90), (5, 230), (8, 310), (13, 400), (22, 738)] {
            line.add(t * TICK_US, y);
        }
        // Sum of t^2 - (sum of t)^2 / n and so on: 756 - 54^2 / 7, 25716 - 54 x 2008 / 7, 891344 - 2008^2 / 7.
        let Centred { tt, ty, yy } = line.centred();
        for (found, expected) in [(tt, 339.43), (ty, 10_225.71), (yy, 315_334.86)] {
            // What is subtracted is rounded down.
            assert!((0.0..1.0).contains(&(found as f64 - expected)), "{found} where {expected} is right");
        }
    }
}
