//! Vectors in space.

use std::ops::{Add, Mul, Sub};

/// A place or a difference of places in metres, or a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Vector {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) z: f64,
}

impl Vector {
    pub(crate) const fn new(x: f64, y: f64, z: f64) -> Self {
        Self { x, y, z }
    }

    pub(crate) fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    pub(crate) fn cross(self, other: Self) -> Self {
        Self::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    pub(crate) fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// The angle to another vector in radians, also of nearly parallel ones exact.
    pub(crate) fn angle_to(self, other: Self) -> f64 {
        libm::atan2(self.cross(other).length(), self.dot(other))
    }

    /// Turned eastward about the axis of the earth.
    pub(crate) fn turned(self, by: Angle) -> Self {
        Self::new(by.cos * self.x - by.sin * self.y, by.sin * self.x + by.cos * self.y, self.z)
    }
}

impl Add for Vector {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl Sub for Vector {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Mul<f64> for Vector {
    type Output = Self;
    fn mul(self, factor: f64) -> Self {
        Self::new(self.x * factor, self.y * factor, self.z * factor)
    }
}

/// An angle by its sine and its cosine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Angle {
    pub(crate) sin: f64,
    pub(crate) cos: f64,
}

impl Angle {
    pub(crate) fn from_radians(angle: f64) -> Self {
        let (sin, cos) = libm::sincos(angle);
        Self { sin, cos }
    }

    pub(crate) fn from_degrees(angle: f64) -> Self {
        Self::from_radians(angle.to_radians())
    }
}
