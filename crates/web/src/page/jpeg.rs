//! JPEG files of noise.

use jpeg_encoder::{ColorType, Encoder};
use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::noise::generator;

/// Quality of the encoded noise.
const QUALITY: u8 = 85;
/// A comment segment: marker FF FE, two bytes of length that count themselves (ISO/IEC 10918-1, B.2.4.5).
const COMMENT_HEADER: usize = 4;
const COMMENT_MAX: usize = COMMENT_HEADER + 65_533;
/// Start of image and the application segment, which makes the file a JFIF and comes first (ITU-T T.871 clause 10);
/// comments may stand behind it.
const HEAD: usize = 2 + 18;

/// A valid JPEG file of exactly `length` bytes of noise: compression saves little more than its tables (140 bytes).
///
/// It is an image of noise, coded as large as fits, and comments of random bytes for the rest. The
/// content follows from `name` and `length` alone. None where no JPEG file is that short (some 640 bytes).
pub(super) fn of_length(length: usize, name: &str) -> Option<Vec<u8>> {
    let mut random = generator(name, length);
    let image = largest_noise(length, &mut random)?;
    let (head, rest) = image.split_at(HEAD);
    let mut file = Vec::with_capacity(length);
    file.extend_from_slice(head);
    for segment in comment_lengths(length - image.len()) {
        let mut comment = vec![0; segment];
        random.fill_bytes(&mut comment);
        comment[..2].copy_from_slice(&[0xFF, 0xFE]);
        comment[2..4].copy_from_slice(&u16::try_from(segment - 2).expect("below COMMENT_MAX").to_be_bytes());
        file.append(&mut comment);
    }
    file.extend_from_slice(rest);
    debug_assert_eq!(file.len(), length);
    Some(file)
}

/// The largest square of noise whose file leaves room for a comment or fits exactly; none when not even the
/// smallest does.
fn largest_noise(length: usize, random: &mut Pcg64Mcg) -> Option<Vec<u8>> {
    let seed = random.next_u64();
    let mut side = 1 + (length as f64).sqrt() as u16;
    loop {
        let image = noise(side, seed);
        if image.len() == length || image.len() + COMMENT_HEADER <= length {
            return Some(image);
        }
        if side == 1 {
            return None;
        }
        // The file's length goes with the area; aim a little below.
        let scale = (length as f64 / image.len() as f64).sqrt();
        side = ((f64::from(side) * scale * 0.99) as u16).clamp(1, side - 1);
    }
}

fn noise(side: u16, seed: u64) -> Vec<u8> {
    let mut pixels = vec![0; usize::from(side) * usize::from(side) * 3];
    Pcg64Mcg::seed_from_u64(seed).fill_bytes(&mut pixels);
    let mut file = Vec::new();
    Encoder::new(&mut file, QUALITY)
        .encode(&pixels, side, side, ColorType::Rgb)
        .expect("writing to memory does not fail");
    file
}

/// Splits `padding` into comment segments, none of which is too short for its own header.
fn comment_lengths(padding: usize) -> Vec<usize> {
    let count = padding.div_ceil(COMMENT_MAX).max(1);
    let each = padding / count;
    let longer = padding % count;
    (0..count).map(|i| each + usize::from(i < longer)).filter(|segment| *segment > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_of_the_study_is_met_exactly() {
        // Sizes from 3 kB to 540 kB, alshagri2023 pages.
        for length in [1_000, 3_000, 8_001, 12_500, 62_500, 65_540, 100_000, 250_000, 540_000] {
            let file = of_length(length, "/object.jpg").unwrap();
            assert_eq!(file.len(), length);
            assert_eq!(&file[..2], [0xFF, 0xD8], "start of image");
            assert_eq!(&file[length - 2..], [0xFF, 0xD9], "end of image");
        }
    }

    #[test]
    fn every_length_from_640_bytes_on_is_met_exactly() {
        for length in 640..1_000 {
            let file = of_length(length, "/object.jpg").unwrap();
            assert_eq!((file.len(), &file[..3]), (length, &[0xFF, 0xD8, 0xFF][..]));
        }
        assert_eq!(of_length(500, "/object.jpg"), None);
    }

    #[test]
    fn the_same_name_and_length_give_the_same_bytes_and_others_do_not() {
        assert_eq!(of_length(5_000, "/a.jpg"), of_length(5_000, "/a.jpg"));
        assert_ne!(of_length(5_000, "/a.jpg"), of_length(5_000, "/b.jpg"));
    }
}
