//! GIF files of a given length.

use super::noise;

/// One pixel (GIF89a, sections 17 to 23 and 27): header, screen of one by one with two colours, image, trailer.
///
/// The image's code is clear, colour 0, end: three bits each, the lowest first.
const PIXEL: [u8; 35] =
    *b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xFF\xFF\xFF,\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0;";

/// A valid GIF file of exactly `length` bytes, none where it is that short: a pixel, and noise behind its trailer.
pub(super) fn of_length(length: usize, name: &str) -> Option<Vec<u8>> {
    let mut file = noise::of_length(length, name);
    *file.first_chunk_mut()? = PIXEL;
    Some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one_of_every_length_from_35_bytes_on() {
        assert_eq!(of_length(34, "/a.gif"), None);
        for length in [35, 43, 639] {
            let file = of_length(length, "/a.gif").unwrap();
            assert_eq!((file.len(), &file[..6], file[34]), (length, &b"GIF89a"[..], b';'));
        }
    }
}
