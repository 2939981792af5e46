//! System calls: `setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0`.

use bentpipe_units::Duration;

use crate::expression::Expression;
use crate::parse::cursor::{Cursor, ParseError};
use crate::script::CallLine;

/// Brackets within brackets; messages have four.
const DEEPEST: u32 = 20;

pub(super) fn call(cursor: &mut Cursor<'_>, until: Option<Duration>) -> Result<CallLine, ParseError> {
    let here = cursor.clone();
    let name = cursor.word().ok_or_else(|| here.error("<, > or the name of a system call"))?.to_owned();
    cursor.expect("(")?;
    let arguments = list(cursor, ")", 0)?;
    cursor.expect("=")?;
    let result = match expression(cursor, 0)? {
        Expression::Any => None,
        result => Some(result),
    };
    let errno = errno(cursor)?;
    if cursor.accept("(")? {
        cursor.until(")")?;
    }
    Ok(CallLine { until, name, arguments, result, errno })
}

/// A name in capitals on the same line.
fn errno(cursor: &mut Cursor<'_>) -> Result<Option<String>, ParseError> {
    let line = cursor.line();
    let here = cursor.clone();
    cursor.skip_blank()?;
    if cursor.line() == line && cursor.peek() == Some('E') {
        return Ok(cursor.word().map(str::to_owned));
    }
    *cursor = here;
    Ok(None)
}

/// Expressions between commas, up to `end`, which is taken.
fn list(cursor: &mut Cursor<'_>, end: &str, depth: u32) -> Result<Vec<Expression>, ParseError> {
    let mut items = Vec::new();
    while !cursor.accept(end)? {
        items.push(expression(cursor, depth + 1)?);
        if !cursor.accept(",")? {
            cursor.expect(end)?;
            break;
        }
    }
    Ok(items)
}

fn expression(cursor: &mut Cursor<'_>, depth: u32) -> Result<Expression, ParseError> {
    if depth > DEEPEST {
        return Err(cursor.error("fewer brackets within brackets"));
    }
    let mut parts = vec![operand(cursor, depth)?];
    while cursor.accept("|")? {
        parts.push(operand(cursor, depth)?);
    }
    Ok(if parts.len() == 1 { parts.remove(0) } else { Expression::Or(parts) })
}

fn operand(cursor: &mut Cursor<'_>, depth: u32) -> Result<Expression, ParseError> {
    if cursor.accept("...")? {
        return Ok(Expression::Any);
    }
    if cursor.take("[") {
        return Ok(Expression::List(list(cursor, "]", depth)?));
    }
    if cursor.take("{") {
        return Ok(Expression::Record(list(cursor, "}", depth)?));
    }
    if cursor.take("\"") {
        let text = Expression::Text(cursor.quoted('"')?);
        // A text that goes on with whatever there is.
        cursor.accept("...")?;
        return Ok(text);
    }
    let negative = cursor.take("-");
    if negative || cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
        let number: u64 = cursor.number("a number")?;
        let number = number as i64;
        return Ok(Expression::Number(if negative { -number } else { number }));
    }
    named(cursor, depth)
}

/// `NAME`, `name=value`, `name(...)=value` or `name(...)`.
fn named(cursor: &mut Cursor<'_>, depth: u32) -> Result<Expression, ParseError> {
    let name = cursor.word().ok_or_else(|| cursor.error("an argument"))?.to_owned();
    let applied = if cursor.accept("(")? { Some(list(cursor, ")", depth)?) } else { None };
    if cursor.accept("=")? {
        return Ok(Expression::Field(name, Box::new(expression(cursor, depth + 1)?)));
    }
    Ok(match applied {
        Some(arguments) => Expression::Applied(name, arguments),
        None => Expression::Symbol(name),
    })
}
