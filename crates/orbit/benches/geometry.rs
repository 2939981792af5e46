//! Choosing among Starlink's first shell of 1584 satellites, and following a route: one iteration is one call.

use std::hint::black_box;

use bentpipe_orbit::{ChoiceSpec, ConstellationSpec, Geometry, GeometrySpec, IslSpec, ShellSpec, SiteSpec};
use criterion::{Criterion, criterion_group, criterion_main};

const START: i64 = 1_733_000_000_000_000_000;
const EPOCH: i64 = 15_000_000_000;

fn shell() -> ConstellationSpec {
    ConstellationSpec::Walker {
        shells: vec![ShellSpec {
            planes: 72,
            satellites_per_plane: 22,
            altitude_m: 550e3,
            inclination_deg: 53.0,
            phasing: 39,
            raan_spread_deg: 360.0,
            raan_deg: 0.0,
            argument_of_latitude_deg: 0.0,
            epoch_unix_ns: START,
        }],
    }
}

/// As many satellites by element sets: one of SGP4's own examples, again and again.
fn element_sets() -> ConstellationSpec {
    let set = "1 28057U 03049A   06177.78615833  .00000060  00000-0  35940-4 0  1836\n\
               2 28057  98.4283 247.6961 0000884  88.1964 271.9322 14.35478080140550\n";
    ConstellationSpec::Tle { text: set.repeat(1584) }
}

fn geometry(constellation: ConstellationSpec, gateways: usize, isl: Option<IslSpec>) -> Geometry {
    let site = SiteSpec { latitude_deg: 48.4, longitude_deg: -123.4, altitude_m: 20.0 };
    let gateway = |index: usize| SiteSpec { longitude_deg: -122.0 + index as f64, ..site };
    let spec = GeometrySpec {
        constellation,
        site,
        gateways: (0..gateways).map(gateway).collect(),
        minimum_elevation_deg: 25.0,
        gateway_minimum_elevation_deg: 25.0,
        choice: ChoiceSpec::Weighted,
        isl,
    };
    Geometry::new(&spec).expect("a geometry that can be")
}

fn choices(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("choose among 1584 satellites");
    let isl = Some(IslSpec { stretch: 1.2 });
    for (name, geometry) in [
        ("Walker, 1 gateway", geometry(shell(), 1, None)),
        ("Walker, 10 gateways", geometry(shell(), 10, None)),
        ("Walker, 10 gateways, ISL", geometry(shell(), 10, isl)),
        ("element sets, 1 gateway", geometry(element_sets(), 1, None)),
    ] {
        group.bench_function(name, |bencher| {
            let mut at = START;
            bencher.iter(|| {
                at += EPOCH;
                geometry.choose(black_box(at), 0.5)
            });
        });
    }
    group.finish();
}

fn views(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("follow a route");
    let isl = Some(IslSpec { stretch: 1.2 });
    for (name, geometry) in [("bent pipe", geometry(shell(), 1, None)), ("ISL", geometry(shell(), 1, isl))] {
        let route = geometry.choose(START, 0.5).expect("a satellite is there");
        group.bench_function(name, |bencher| {
            let mut at = START;
            bencher.iter(|| {
                at += 1_000_000;
                geometry.at(black_box(route), at)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, choices, views);
criterion_main!(benches);
