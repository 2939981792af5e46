//! What a script finds on its machine beside itself: this crate reads no files.

/// The text of a file beside the script, such as a shell script that it runs; none where there is none.
pub type ReadFile<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// How the files that a script uses are looked at.
#[derive(Clone, Copy)]
pub struct Files<'a> {
    /// The text of one beside it.
    pub text: &'a ReadFile<'a>,
    /// The length of one that it opens, in bytes; none where there is no such file.
    pub length: &'a dyn Fn(&str) -> Option<u64>,
}

impl Files<'_> {
    /// Where there are none.
    pub const NONE: Files<'static> = Files { text: &|_| None, length: &|_| None };
}
