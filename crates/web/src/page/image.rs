//! Images of a given length.

use super::{gif, jpeg, noise};

/// An image of exactly `length` bytes: a JPEG file of noise, where it is too short for one a GIF file, noise where it is
/// too short for any.
///
/// A browser ends the request of what it cannot decode.
pub(super) fn of_length(length: usize, name: &str) -> Vec<u8> {
    jpeg::of_length(length, name)
        .or_else(|| gif::of_length(length, name))
        .unwrap_or_else(|| noise::of_length(length, name))
}
