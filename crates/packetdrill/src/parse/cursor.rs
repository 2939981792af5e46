//! The place in a script's text: spaces and comments, words and numbers.

use std::cell::Cell;

/// What stands in the way of reading a script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: expected {expected}, found {found}")]
pub struct ParseError {
    /// Where, from one.
    pub line: u32,
    /// What would have been understood.
    pub expected: String,
    /// What is there.
    pub found: String,
}

/// Characters of a message about what was found.
const SHOWN: usize = 30;

/// A place in a text.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// A place before, and its line: lines are counted from there.
    counted: Cell<(usize, u32)>,
}

impl<'a> Cursor<'a> {
    pub const fn new(text: &'a str) -> Self {
        Self { text, at: 0, counted: Cell::new((0, 1)) }
    }

    pub fn line(&self) -> u32 {
        let (from, line) = self.counted.get();
        let (from, line) = if from <= self.at { (from, line) } else { (0, 1) };
        let line = line + self.text[from..self.at].matches('\n').count() as u32;
        self.counted.set((self.at, line));
        line
    }

    pub fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    pub fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub fn error(&self, expected: &str) -> ParseError {
        let rest = self.rest();
        let line = rest.lines().next().unwrap_or_default().trim();
        let found = match line {
            _ if rest.is_empty() => "the end of the script".to_owned(),
            "" => "the end of the line".to_owned(),
            line if line.chars().count() > SHOWN => {
                format!("{:?}...", line.chars().take(SHOWN).collect::<String>())
            }
            line => format!("{line:?}"),
        };
        ParseError { line: self.line(), expected: expected.to_owned(), found }
    }

    /// Spaces and comments.
    pub fn skip_blank(&mut self) -> Result<(), ParseError> {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") || trimmed.starts_with('#') {
                self.skip_line();
            } else if trimmed.starts_with("/*") {
                let length = trimmed.find("*/").ok_or_else(|| self.error("the end of the comment, */"))?;
                self.at += length + 2;
            } else {
                return Ok(());
            }
        }
    }

    /// The rest of the line.
    pub fn skip_line(&mut self) -> &'a str {
        let rest = self.rest();
        let length = rest.find('\n').unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Takes `token`, if it is next, without a look at what follows it.
    pub fn take(&mut self, token: &str) -> bool {
        let there = self.rest().starts_with(token);
        if there {
            self.at += token.len();
        }
        there
    }

    /// Takes `token` behind spaces and comments, if it is next.
    pub fn accept(&mut self, token: &str) -> Result<bool, ParseError> {
        self.skip_blank()?;
        Ok(self.take(token))
    }

    pub fn expect(&mut self, token: &str) -> Result<(), ParseError> {
        if self.accept(token)? { Ok(()) } else { Err(self.error(&format!("{token:?}"))) }
    }

    /// Takes a whole word, if it is next.
    pub fn accept_word(&mut self, word: &str) -> Result<bool, ParseError> {
        self.skip_blank()?;
        let here = self.clone();
        if self.word() == Some(word) {
            return Ok(true);
        }
        *self = here;
        Ok(false)
    }

    /// Letters, digits and underscores, the first of them no digit.
    pub fn word(&mut self) -> Option<&'a str> {
        if self.peek()?.is_ascii_digit() {
            return None;
        }
        self.take_while(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    /// As many characters as fit; none is no word.
    pub fn take_while(&mut self, fits: impl Fn(char) -> bool) -> Option<&'a str> {
        let rest = self.rest();
        let length = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        self.at += length;
        (length > 0).then_some(&rest[..length])
    }

    /// Up to `end`, which is taken too.
    pub fn until(&mut self, end: &str) -> Result<&'a str, ParseError> {
        let rest = self.rest();
        let length = rest.find(end).ok_or_else(|| self.error(&format!("{end:?} somewhere behind this")))?;
        self.at += length + end.len();
        Ok(&rest[..length])
    }

    /// Up to the closing quotation mark, which is taken too; one behind a backslash does not close, and loses the backslash.
    pub fn quoted(&mut self, mark: char) -> Result<String, ParseError> {
        let here = self.clone();
        let mut text = String::new();
        while let Some(c) = self.peek() {
            self.at += c.len_utf8();
            match c {
                c if c == mark => return Ok(text),
                '\\' if self.take(&mark.to_string()) => text.push(mark),
                c => text.push(c),
            }
        }
        Err(here.error(&format!("{:?} somewhere behind this", mark.to_string())))
    }

    /// A number without a sign, hexadecimal with 0x.
    pub fn number<T: TryFrom<u64>>(&mut self, expected: &str) -> Result<T, ParseError> {
        self.skip_blank()?;
        let here = self.clone();
        let value = if self.take("0x") || self.take("0X") {
            self.take_while(|c| c.is_ascii_hexdigit()).and_then(|digits| u64::from_str_radix(digits, 16).ok())
        } else {
            self.take_while(|c| c.is_ascii_digit()).and_then(|digits| digits.parse().ok())
        };
        value.and_then(|value| T::try_from(value).ok()).ok_or_else(|| here.error(expected))
    }
}
