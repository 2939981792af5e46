//! What fills a text up to its length.

use std::iter;

/// How a language starts and ends what means nothing.
pub(super) type Comment = (&'static str, &'static str);

/// In HTML.
pub(super) const MARKUP: Comment = ("<!--", "-->");
/// In style sheets and scripts alike.
pub(super) const CODE: Comment = ("/*", "*/");

/// Adds so many bytes that mean nothing: a comment, or blanks where none is that short.
pub(super) fn fill(text: &mut String, (open, close): Comment, bytes: usize) {
    match bytes.checked_sub(open.len() + close.len()) {
        Some(inside) => text.extend([open, &" ".repeat(inside), close]),
        None => text.extend(iter::repeat_n(' ', bytes)),
    }
}

/// Fills a style sheet or a script up to its length.
pub(super) fn fill_code(code: &mut String, length: usize) {
    fill(code, CODE, length.saturating_sub(code.len()));
}
