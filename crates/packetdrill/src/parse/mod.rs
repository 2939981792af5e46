//! Reading a script.
//!
//! The grammar is that of packetdrill's own documentation (N. Cardwell et al., "packetdrill: Scriptable Network Stack
//! Testing, from Sockets to Packets", USENIX ATC 2013, and the syntax reference of its project).

mod call;
mod cursor;
mod segment;

use bentpipe_units::Duration;

pub use cursor::ParseError;

use crate::script::{Action, Base, Event, Script, Setting, When};
use cursor::Cursor;
use segment::Way;
pub(crate) use segment::hexadecimal;

/// A script takes no longer, in seconds.
const LONGEST: u64 = 1_000_000;
/// Nanoseconds of a second, and the digits behind the point that count.
const NANOS: u64 = 1_000_000_000;
const DIGITS: usize = 9;

/// Reads a script.
///
/// # Errors
/// Where it is none: the line, what was expected and found.
pub fn parse(text: &str) -> Result<Script, ParseError> {
    let mut cursor = Cursor::new(text);
    let mut script = Script::default();
    loop {
        cursor.skip_blank()?;
        if cursor.is_at_end() {
            let is_empty = script.events.is_empty();
            return if is_empty { Err(cursor.error("an event")) } else { Ok(script) };
        }
        let line = cursor.line();
        if script.events.is_empty() && cursor.take("--") {
            script.options.push(setting(&mut cursor, line));
        } else {
            script.events.push(event(&mut cursor, line)?);
        }
    }
}

fn setting(cursor: &mut Cursor<'_>, line: u32) -> Setting {
    let text = before_comment(cursor.skip_line()).trim();
    let (name, value) = text.split_once(['=', ' ']).unwrap_or((text, ""));
    Setting { line, name: name.trim().to_owned(), value: value.trim().to_owned() }
}

/// What stands before a comment, which comes behind a space.
fn before_comment(text: &str) -> &str {
    let is_comment = |at: &usize| text[..*at].ends_with(char::is_whitespace);
    let comment = text.match_indices("//").map(|(at, _)| at).find(is_comment);
    &text[..comment.unwrap_or(text.len())]
}

fn event(cursor: &mut Cursor<'_>, line: u32) -> Result<Event, ParseError> {
    let Moment { when, until } = moment(cursor)?;
    cursor.skip_blank()?;
    let action = if cursor.take("`") {
        Action::Shell(cursor.quoted('`')?.trim().to_owned())
    } else if cursor.take("%{") {
        Action::Code(code(cursor.until("}%")?).to_owned())
    } else if when == When::Next {
        return Err(cursor.error("a time, a command between backticks, or Python between %{ and }%"));
    } else if cursor.take("<") {
        segment::packet(cursor, Way::In)?
    } else if cursor.take(">") {
        segment::packet(cursor, Way::Out)?
    } else {
        Action::Call(call::call(cursor, until)?)
    };
    Ok(Event { line, when, action })
}

/// Python without the space around it; where it starts on a line of its own, that line tells how far all are indented.
fn code(text: &str) -> &str {
    let starts_below = text.lines().next().is_some_and(|first| first.trim().is_empty());
    if starts_below { text.trim_end() } else { text.trim() }
}

/// When an event starts, and for a call that blocks when it ends.
struct Moment {
    when: When,
    until: Option<Duration>,
}

fn moment(cursor: &mut Cursor<'_>) -> Result<Moment, ParseError> {
    if cursor.take("*") {
        return Ok(Moment { when: When::Any, until: None });
    }
    let base = if cursor.take("+") { Base::Previous } else { Base::Start };
    let starts = cursor.peek().is_some_and(|c| c.is_ascii_digit() || c == '.');
    if base == Base::Start && !starts {
        return Ok(Moment { when: When::Next, until: None });
    }
    let from = seconds(cursor)?;
    let (mut to, mut until) = (from, None);
    if cursor.accept("...")? {
        cursor.accept("+")?;
        until = Some(seconds(cursor)?);
    } else if cursor.accept("~")? {
        cursor.accept("+")?;
        to = seconds(cursor)?;
    }
    Ok(Moment { when: When::Between { base, from, to }, until })
}

/// Seconds as a decimal number, where `...` is no point.
fn seconds(cursor: &mut Cursor<'_>) -> Result<Duration, ParseError> {
    cursor.skip_blank()?;
    let here = cursor.clone();
    let whole = cursor.take_while(|c| c.is_ascii_digit());
    let fraction = if cursor.rest().starts_with("..") || !cursor.take(".") {
        None
    } else {
        cursor.take_while(|c| c.is_ascii_digit())
    };
    let value = match (whole, fraction) {
        (None, None) => None,
        (whole, fraction) => {
            let digits: String = fraction.unwrap_or("").chars().take(DIGITS).collect();
            let nanos = format!("{digits:0<DIGITS$}").parse::<u64>().ok();
            let whole = whole.unwrap_or("0").parse::<u64>().ok().filter(|whole| *whole < LONGEST);
            whole.zip(nanos).map(|(whole, nanos)| whole * NANOS + nanos)
        }
    };
    value.map(Duration::from_nanos).ok_or_else(|| here.error("a time of less than 1000000 seconds"))
}
