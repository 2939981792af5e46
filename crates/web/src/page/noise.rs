//! Bytes that nothing makes shorter.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use ring::digest::{SHA256, digest};

/// Bytes that nothing makes shorter; they follow from `name` and `length` alone.
pub(super) fn of_length(length: usize, name: &str) -> Vec<u8> {
    let mut noise = vec![0; length];
    generator(name, length).fill_bytes(&mut noise);
    noise
}

/// The random stream of an object.
pub(super) fn generator(name: &str, length: usize) -> Pcg64Mcg {
    let hash = digest(&SHA256, format!("{name}:{length}").as_bytes());
    let seed = hash.as_ref()[..8].try_into().expect("eight bytes");
    Pcg64Mcg::seed_from_u64(u64::from_le_bytes(seed))
}
