mod common;
use bentpipe_cc::CongestionControl;
use bentpipe_cc::bbr::*;
use bentpipe_units::*;
use common::*;
#[test]
fn print() {
    let path = Path { lose_every: Some(100), ..Path::new(10, 500, packets(2_000)) };
    let mut f = Flow::new(Bbr::new(config()), path);
    let mut mode = f.cc.mode();
    let mut last = 0;
    while f.now < at_ms(60_000) {
        f.step(at_ms(60_000));
        if f.cc.mode() != mode || f.now.as_nanos() / 1_000_000_000 != last {
            mode = f.cc.mode();
            last = f.now.as_nanos() / 1_000_000_000;
            println!(
                "{:.3} {:?} bw {:?} rtt {:?} cwnd {} infl {} dlv {} lost {} pr {:?}",
                f.now.as_nanos() as f64 / 1e9,
                mode,
                f.cc.bandwidth().map(|r| r.to_string()),
                f.cc.min_rtt().map(|r| r.to_string()),
                f.cc.cwnd().get() / 1500,
                f.in_flight.get() / 1500,
                f.delivered.get() / 1500,
                f.lost.get() / 1500,
                f.cc.pacing_rate().map(|r| r.to_string())
            );
        }
    }
}
