//! Which satellite serves, by which gateway, and how far the signal has to go. Model page: docs/models/geometry.md.

use std::sync::Arc;

use bentpipe_units::Duration;

use crate::check::check;
use crate::constellation::Constellation;
use crate::instant::Instant;
use crate::site::Site;
use crate::vector::Vector;
use crate::{ChoiceSpec, GeometrySpec, SpecError};

/// The speed of light in m/s, exact (SI).
const LIGHT_M_PER_S: f64 = 299_792_458.0;

/// Satellites, a dish and its gateways. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Geometry(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    constellation: Constellation,
    site: Site,
    gateways: Vec<Site>,
    choice: ChoiceSpec,
    /// Length over that of the great circle, where there are links between satellites.
    isl_stretch: Option<f64>,
}

/// Which way the signal goes. It belongs to the geometry that chose it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The satellite over the dish, in the order of the constellation (shell by shell, plane by plane), from 0.
    pub satellite: usize,
    /// The satellite over the gateway: the same one, unless there are links between satellites.
    pub gateway_satellite: usize,
    /// The gateway, in the order of the spec, from 0.
    pub gateway: usize,
}

/// How a route is at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// From dish to gateway at the speed of light; either way it is the same.
    pub delay: Duration,
    /// Of the satellite over the dish, negative below the horizon.
    pub elevation_deg: f64,
    /// Of the satellite over the dish, from north through east.
    pub azimuth_deg: f64,
    /// From the dish to its satellite.
    pub site_range_m: f64,
    /// Between the two satellites; zero where they are one.
    pub isl_m: f64,
    /// From the gateway to its satellite.
    pub gateway_range_m: f64,
}

/// A satellite that a gateway sees.
#[derive(Clone, Copy)]
struct Landing {
    gateway: usize,
    satellite: usize,
    position: Vector,
}

/// A satellite that the dish sees.
#[derive(Clone, Copy)]
struct Candidate {
    satellite: usize,
    position: Vector,
    elevation_deg: f64,
}

impl Geometry {
    /// # Errors
    /// When a value is out of its bounds, or an element set is not as it should be.
    pub fn new(spec: &GeometrySpec) -> Result<Self, SpecError> {
        check(spec)?;
        let gateways = spec.gateways.iter();
        Ok(Self(Arc::new(Parts {
            constellation: Constellation::new(&spec.constellation)?,
            site: Site::new(&spec.site, spec.minimum_elevation_deg),
            gateways: gateways.map(|site| Site::new(site, spec.gateway_minimum_elevation_deg)).collect(),
            choice: spec.choice,
            isl_stretch: spec.isl.map(|isl| isl.stretch),
        })))
    }

    /// The route that is taken at an instant (Unix time); none where no satellite can serve. `draw`, uniform in
    /// \[0, 1), decides where the choice is by weight.
    pub fn choose(&self, unix_ns: i64, draw: f64) -> Option<Route> {
        let positions = self.0.constellation.positions(Instant::new(unix_ns));
        let landings = self.landings(&positions);
        let candidates: Vec<Candidate> = self.candidates(&positions, &landings).collect();
        let chosen = match self.0.choice {
            ChoiceSpec::Highest => highest(&candidates),
            ChoiceSpec::Weighted => weighted(&candidates, self.0.site.minimum_elevation_deg(), draw),
        }?;
        let beyond_m = |landing: &Landing| {
            self.isl_m(chosen.position, landing.position)
                + self.0.gateways[landing.gateway].range_m(landing.position)
        };
        let reached = landings.iter().filter(|landing| self.is_reached(chosen.satellite, landing));
        let nearest = reached.min_by(|a, b| beyond_m(a).total_cmp(&beyond_m(b)))?;
        Some(Route {
            satellite: chosen.satellite,
            gateway_satellite: nearest.satellite,
            gateway: nearest.gateway,
        })
    }

    /// How a route is at an instant (Unix time), which need not be that of its choice: the satellites move on, also
    /// below the minimum elevation. None where element sets give no position any more.
    ///
    /// # Panics
    /// When the route is one of another geometry.
    pub fn at(&self, route: Route, unix_ns: i64) -> Option<View> {
        let instant = Instant::new(unix_ns);
        let over_site = self.0.constellation.position(route.satellite, instant)?;
        let over_gateway = if route.gateway_satellite == route.satellite {
            over_site
        } else {
            self.0.constellation.position(route.gateway_satellite, instant)?
        };
        let site_range_m = self.0.site.range_m(over_site);
        let isl_m = self.isl_m(over_site, over_gateway);
        let gateway_range_m = self.0.gateways[route.gateway].range_m(over_gateway);
        Some(View {
            delay: Duration::from_secs_f64((site_range_m + isl_m + gateway_range_m) / LIGHT_M_PER_S),
            elevation_deg: self.0.site.elevation_deg(over_site),
            azimuth_deg: self.0.site.azimuth_deg(over_site),
            site_range_m,
            isl_m,
            gateway_range_m,
        })
    }

    /// Which gateway sees which satellite.
    fn landings(&self, positions: &[Option<Vector>]) -> Vec<Landing> {
        let seen_by = |(gateway, site): (usize, &Site)| {
            let seen =
                present(positions).filter(|(_, place)| site.elevation_of_visible_deg(*place).is_some());
            let landings = seen.map(move |(satellite, position)| Landing { gateway, satellite, position });
            landings.collect::<Vec<_>>()
        };
        self.0.gateways.iter().enumerate().flat_map(seen_by).collect()
    }

    /// Which satellites the dish sees that can reach a gateway.
    fn candidates(
        &self,
        positions: &[Option<Vector>],
        landings: &[Landing],
    ) -> impl Iterator<Item = Candidate> {
        let visible = present(positions).filter_map(|(satellite, position)| {
            let elevation_deg = self.0.site.elevation_of_visible_deg(position)?;
            Some(Candidate { satellite, position, elevation_deg })
        });
        visible
            .filter(|candidate| landings.iter().any(|landing| self.is_reached(candidate.satellite, landing)))
    }

    /// Whether a satellite can send to a gateway by another one, or by itself.
    fn is_reached(&self, satellite: usize, landing: &Landing) -> bool {
        self.0.isl_stretch.is_some() || landing.satellite == satellite
    }

    /// From one satellite to another: along a stretched great circle at their mean radius, and from one radius to the
    /// other where these differ.
    fn isl_m(&self, from: Vector, to: Vector) -> f64 {
        let (near, far) = (from.length(), to.length());
        self.0.isl_stretch.unwrap_or(1.0) * 0.5 * (near + far) * from.angle_to(to) + (far - near).abs()
    }
}

/// The satellites that have a position.
fn present(positions: &[Option<Vector>]) -> impl Iterator<Item = (usize, Vector)> {
    positions.iter().enumerate().filter_map(|(satellite, place)| Some((satellite, (*place)?)))
}

/// The first of those that stand highest.
fn highest(candidates: &[Candidate]) -> Option<Candidate> {
    candidates.iter().copied().min_by(|a, b| b.elevation_deg.total_cmp(&a.elevation_deg))
}

/// One by weight, its elevation above the minimum: that in which `draw` of the sum of all weights falls.
fn weighted(candidates: &[Candidate], minimum_elevation_deg: f64, draw: f64) -> Option<Candidate> {
    let weight = |candidate: &Candidate| candidate.elevation_deg - minimum_elevation_deg;
    let mut left = draw * candidates.iter().map(weight).sum::<f64>();
    let drawn = candidates.iter().find(|candidate| {
        left -= weight(candidate);
        left < 0.0
    });
    // Rounding may leave a little; and all may stand at the very minimum.
    drawn.or(candidates.last()).copied()
}
