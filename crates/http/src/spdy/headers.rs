//! Names and values of a header block.

use std::collections::BTreeSet;

/// Names and values of a header block (draft 2.6.10), in their order.
///
/// A name is lower-case ASCII and stands once; several values of one name are joined by a zero byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, Vec<u8>)>);

/// A header block that says nothing valid; the compression context is intact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed header block")]
pub struct MalformedHeaders;

impl Headers {
    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_slice())
    }

    /// The value of a name, if it is text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name).and_then(|value| std::str::from_utf8(value).ok())
    }

    /// Adds a value; one that the name has already stays before it.
    pub fn add(&mut self, name: &str, value: &[u8]) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            None => self.0.push((name.to_owned(), value.to_vec())),
            Some((_, values)) => {
                values.push(0);
                values.extend_from_slice(value);
            }
        }
    }

    /// All names and values in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    /// The block before compression.
    pub fn encode(&self) -> Vec<u8> {
        let mut block = Vec::new();
        put_number(&mut block, self.0.len());
        for (name, value) in &self.0 {
            put(&mut block, name.as_bytes());
            put(&mut block, value);
        }
        block
    }

    /// Reads a block after decompression.
    ///
    /// # Errors
    /// When it is cut short or too long, a name is empty, not lower-case ASCII or there twice, or a value starts
    /// or ends with a separator or has two in a row.
    pub fn decode(block: &[u8]) -> Result<Self, MalformedHeaders> {
        let (count, mut rest) = number(block)?;
        let mut headers = Vec::new();
        let mut names = BTreeSet::new();
        for _ in 0..count {
            let (name, after_name) = string(rest)?;
            let (value, after_value) = string(after_name)?;
            rest = after_value;
            if !is_name(name) || !is_value(value) || !names.insert(name) {
                return Err(MalformedHeaders);
            }
            headers.push((String::from_utf8_lossy(name).into_owned(), value.to_vec()));
        }
        if rest.is_empty() { Ok(Self(headers)) } else { Err(MalformedHeaders) }
    }
}

impl<'a> FromIterator<(&'a str, &'a str)> for Headers {
    fn from_iter<I: IntoIterator<Item = (&'a str, &'a str)>>(pairs: I) -> Self {
        let mut headers = Self::default();
        for (name, value) in pairs {
            headers.add(name, value.as_bytes());
        }
        headers
    }
}

fn is_name(name: &[u8]) -> bool {
    !name.is_empty() && name.iter().all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase())
}

fn is_value(value: &[u8]) -> bool {
    value.is_empty() || value.split(|byte| *byte == 0).all(|one| !one.is_empty())
}

fn put(block: &mut Vec<u8>, string: &[u8]) {
    put_number(block, string.len());
    block.extend_from_slice(string);
}

fn put_number(block: &mut Vec<u8>, number: usize) {
    let number = u32::try_from(number).expect("headers fit in a frame");
    block.extend_from_slice(&number.to_be_bytes());
}

fn number(block: &[u8]) -> Result<(usize, &[u8]), MalformedHeaders> {
    let (number, rest) = block.split_first_chunk().ok_or(MalformedHeaders)?;
    Ok((u32::from_be_bytes(*number) as usize, rest))
}

fn string(block: &[u8]) -> Result<(&[u8], &[u8]), MalformedHeaders> {
    let (length, rest) = number(block)?;
    rest.split_at_checked(length).ok_or(MalformedHeaders)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_block_is_a_count_and_strings_with_their_lengths() {
        let mut headers = Headers::from_iter([(":status", "200"), ("x", "")]);
        headers.add(":status", b"OK");
        let block = b"\0\0\0\x02\0\0\0\x07:status\0\0\0\x06200\0OK\0\0\0\x01x\0\0\0\0";
        assert_eq!(headers.encode(), block);
        assert_eq!(Headers::decode(block), Ok(headers));
    }

    #[test]
    fn blocks_that_the_draft_forbids_are_malformed() {
        for (block, why) in [
            (&b"\0\0\0\x01\0\0\0\0\0\0\0\x01a"[..], "empty name"),
            (b"\0\0\0\x01\0\0\0\x01A\0\0\0\x01a", "upper case"),
            (b"\0\0\0\x02\0\0\0\x01a\0\0\0\0\0\0\0\x01a\0\0\0\0", "the same name twice"),
            (b"\0\0\0\x01\0\0\0\x01a\0\0\0\x02\0b", "value begins with a separator"),
            (b"\0\0\0\x01\0\0\0\x01a\0\0\0\x02b\0", "value ends with a separator"),
            (b"\0\0\0\x01\0\0\0\x01a\0\0\0\x04b\0\0b", "empty value among several"),
            (b"\0\0\0\x01\0\0\0\x01a\0\0\0\x02b", "cut short"),
            (b"\0\0\0\x01\0\0\0\x01a\0\0\0\x01bc", "more than it says"),
            (b"\xff\xff\xff\xff\xff\xff\xff\xff", "a length beyond the block"),
            (b"\0\0\0", "no count"),
        ] {
            assert_eq!(Headers::decode(block), Err(MalformedHeaders), "{why}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_headers_or_malformed(block in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(headers) = Headers::decode(&block) {
                prop_assert_eq!(headers.encode(), block);
            }
        }
    }
}
