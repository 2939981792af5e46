//! Segments: `< S 0:0(0) win 65535 <mss 1460,sackOK>`.

use crate::packet::{Flags, TcpOption};
use crate::parse::cursor::{Cursor, ParseError};
use crate::script::{Action, EcnPattern, OptionsPattern, PacketPattern};

/// Numbers of the options that scripts may have and no backend makes up.
const MD5: u8 = 19;

/// A segment behind its direction; what is no TCP over IPv4 is named and passed over.
pub(super) fn packet(
    cursor: &mut Cursor<'_>,
    action: fn(PacketPattern) -> Action,
) -> Result<Action, ParseError> {
    cursor.skip_blank()?;
    let line = cursor.line();
    match fields(cursor)? {
        Fields::Tcp(pattern) => Ok(action(pattern)),
        Fields::Foreign(what) => {
            // Options over several lines were passed over already.
            if cursor.line() == line {
                cursor.skip_line();
            }
            Ok(Action::Foreign(what))
        }
    }
}

enum Fields {
    Tcp(PacketPattern),
    Foreign(String),
}

fn fields(cursor: &mut Cursor<'_>) -> Result<Fields, ParseError> {
    let ecn = match ip_header(cursor)? {
        Ok(ecn) => ecn,
        Err(foreign) => return Ok(Fields::Foreign(foreign)),
    };
    cursor.skip_blank()?;
    match cursor.peek() {
        Some(c) if c.is_ascii_lowercase() => {
            let word = cursor.word().unwrap_or_default();
            return Ok(Fields::Foreign(format!("packets of {word}")));
        }
        Some(c) if c.is_ascii_digit() || c == '(' => {
            return Ok(Fields::Foreign("addresses of packets".to_owned()));
        }
        _ => {}
    }
    let letters = cursor.take_while(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '.' || c == '-');
    let letters = letters.ok_or_else(|| cursor.error("the flags of a segment"))?;
    let mut flags = Flags::default();
    for letter in letters.chars().filter(|letter| *letter != '-') {
        let Some(flag) = Flags::of_letter(letter) else {
            return Ok(Fields::Foreign(format!("the flag {letter}")));
        };
        flags = flags.with(flag);
    }
    let (seq, length) = range(cursor)?;
    let mut pattern = PacketPattern {
        ecn,
        flags,
        seq,
        length,
        ack: None,
        window: None,
        urgent: None,
        options: OptionsPattern::Exactly(Vec::new()),
    };
    if cursor.accept_word("ack")? {
        pattern.ack = Some(cursor.number("an acknowledgement number")?);
    }
    if cursor.accept_word("win")? {
        pattern.window = Some(cursor.number("a window from 0 to 65535")?);
    }
    if cursor.accept_word("urg")? {
        pattern.urgent = Some(cursor.number("an urgent pointer from 0 to 65535")?);
    }
    if cursor.accept("<")? {
        match options(cursor)? {
            Ok(options) => pattern.options = options,
            Err(foreign) => return Ok(Fields::Foreign(foreign)),
        }
    }
    Ok(Fields::Tcp(pattern))
}

/// `[ect0]`, or the name of what else of the IP header is written.
fn ip_header(cursor: &mut Cursor<'_>) -> Result<Result<Option<EcnPattern>, String>, ParseError> {
    if !cursor.accept("[")? {
        return Ok(Ok(None));
    }
    let text = cursor.until("]")?.trim();
    Ok(match text {
        "noecn" => Ok(Some(EcnPattern::NotCapable)),
        "ect0" => Ok(Some(EcnPattern::Ect0)),
        "ect1" => Ok(Some(EcnPattern::Ect1)),
        "ect01" => Ok(Some(EcnPattern::Ect)),
        "ce" => Ok(Some(EcnPattern::CongestionExperienced)),
        other => Err(format!("the IP header's {other}")),
    })
}

/// `1:1001(1000)`.
fn range(cursor: &mut Cursor<'_>) -> Result<(u32, u32), ParseError> {
    let seq: u32 = cursor.number("a sequence number")?;
    cursor.expect(":")?;
    let here = cursor.clone();
    let end: u32 = cursor.number("the sequence number behind the last byte")?;
    let mut length = end.wrapping_sub(seq);
    if cursor.accept("(")? {
        length = cursor.number("the number of bytes")?;
        cursor.expect(")")?;
    }
    if seq.wrapping_add(length) == end {
        return Ok((seq, length));
    }
    Err(here.error(&format!("{}, which is {seq} and {length} bytes", seq.wrapping_add(length))))
}

/// What stands between < and >, or the name of an option that is not known.
fn options(cursor: &mut Cursor<'_>) -> Result<Result<OptionsPattern, String>, ParseError> {
    if cursor.accept("...")? {
        cursor.expect(">")?;
        return Ok(Ok(OptionsPattern::Any));
    }
    let mut list = Vec::new();
    while !cursor.accept(">")? {
        match option(cursor)? {
            Ok(option) => list.push(option),
            Err(foreign) => {
                cursor.until(">")?;
                return Ok(Err(foreign));
            }
        }
        cursor.accept(",")?;
    }
    Ok(Ok(OptionsPattern::Exactly(list)))
}

fn option(cursor: &mut Cursor<'_>) -> Result<Result<TcpOption, String>, ParseError> {
    let here = cursor.clone();
    let name = cursor.word().ok_or_else(|| here.error("the name of a TCP option"))?;
    Ok(Ok(match name {
        "nop" => TcpOption::Nop,
        "eol" => TcpOption::Eol,
        "mss" => TcpOption::Mss(cursor.number("a segment size from 0 to 65535")?),
        "wscale" => TcpOption::WindowScale(cursor.number("a shift from 0 to 255")?),
        "sackOK" => TcpOption::SackPermitted,
        "sack" => TcpOption::Sack(blocks(cursor)?),
        "TS" => timestamps(cursor)?,
        "FO" | "FOEXP" => match bytes(cursor)? {
            Some(cookie) if name == "FO" => TcpOption::FastOpen(cookie),
            Some(cookie) => TcpOption::FastOpenExperimental(cookie),
            None => return Ok(Err("a cookie by its name".to_owned())),
        },
        "md5" => match bytes(cursor)? {
            Some(data) => TcpOption::Other { kind: MD5, data },
            None => return Ok(Err("valid signatures".to_owned())),
        },
        other => return Ok(Err(format!("the TCP option {other}"))),
    }))
}

fn blocks(cursor: &mut Cursor<'_>) -> Result<Vec<(u32, u32)>, ParseError> {
    let mut blocks = Vec::new();
    loop {
        cursor.skip_blank()?;
        if !cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
            return Ok(blocks);
        }
        let from = cursor.number("the start of a block")?;
        cursor.expect(":")?;
        blocks.push((from, cursor.number("the end of a block")?));
    }
}

fn timestamps(cursor: &mut Cursor<'_>) -> Result<TcpOption, ParseError> {
    cursor.expect("val")?;
    let value = cursor.number("a timestamp")?;
    cursor.expect("ecr")?;
    let echo = cursor.number("an echoed timestamp")?;
    Ok(TcpOption::Timestamps { value, echo })
}

/// Hexadecimal bytes, maybe none; nothing where a name stands for them.
fn bytes(cursor: &mut Cursor<'_>) -> Result<Option<Vec<u8>>, ParseError> {
    cursor.skip_blank()?;
    let here = cursor.clone();
    let digits = cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '_').unwrap_or_default();
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    if !digits.chars().all(|c| c.is_ascii_hexdigit()) {
        return Ok(None);
    }
    let pairs = digits.as_bytes().chunks(2).map(|pair| match pair {
        [_, _] => u8::from_str_radix(&String::from_utf8_lossy(pair), 16).ok(),
        _ => None,
    });
    pairs.collect::<Option<_>>().map(Some).ok_or_else(|| here.error("two hexadecimal digits for each byte"))
}
