//! Segments: `< S 0:0(0) win 65535 <mss 1460,sackOK>`, and messages about them: `< icmp unreachable [1:1461(1460)]`.

use crate::icmp::{IcmpMessage, IcmpPattern};
use crate::packet::{EcnOrder, Flags, MD5, TcpOption};
use crate::parse::cursor::{Cursor, ParseError};
use crate::script::{Action, EcnPattern, IpPattern, OptionPattern, OptionsPattern, PacketPattern};

/// Of the counter ACE, which has three bits (RFC 9768 section 3.2.2).
const ACE_VALUES: u32 = 8;
/// Of a counter of bytes (RFC 9768 section 3.2.3).
const COUNTER_BITS: u32 = 24;
const COUNTERS: &str = "a counter from 0 to 16777215";

/// Which way a packet goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// `<`.
    In,
    /// `>`.
    Out,
}

/// A packet behind its direction; what is no TCP is named and passed over.
pub(super) fn packet(cursor: &mut Cursor<'_>, way: Way) -> Result<Action, ParseError> {
    cursor.skip_blank()?;
    let line = cursor.line();
    match fields(cursor)? {
        Fields::Tcp(pattern) if way == Way::In => Ok(Action::Inject(pattern)),
        Fields::Tcp(pattern) => Ok(Action::Expect(pattern)),
        Fields::Icmp(pattern) if way == Way::In => Ok(Action::InjectIcmp(pattern)),
        Fields::Icmp(_) => Ok(Action::Foreign("ICMP messages of the endpoint".to_owned())),
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
    Icmp(IcmpPattern),
    Foreign(String),
}

fn fields(cursor: &mut Cursor<'_>) -> Result<Fields, ParseError> {
    let (ip, about) = match brackets(cursor)? {
        Brackets::None => (IpPattern::default(), None),
        Brackets::Ip(ip) => (ip, None),
        Brackets::Segment(about) => (IpPattern::default(), Some(about)),
        Brackets::Foreign(what) => return Ok(Fields::Foreign(what)),
    };
    cursor.skip_blank()?;
    match cursor.peek() {
        Some(c) if c.is_ascii_lowercase() => {
            return match cursor.word().unwrap_or_default() {
                "icmp" => icmp(cursor, about),
                word => Ok(Fields::Foreign(format!("packets of {word}"))),
            };
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
        let counter = letter.to_digit(ACE_VALUES).map(Flags::of_ace);
        let Some(flag) = counter.or_else(|| Flags::of_letter(letter)) else {
            return Ok(Fields::Foreign(format!("the flag {letter}")));
        };
        flags = flags.with(flag);
    }
    let (seq, length) = range(cursor)?;
    let mut pattern = PacketPattern {
        ip,
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

/// What stands between brackets before flags or `icmp`.
enum Brackets {
    None,
    Ip(IpPattern),
    /// The segment that a message is about.
    Segment((u32, u32)),
    Foreign(String),
}

fn brackets(cursor: &mut Cursor<'_>) -> Result<Brackets, ParseError> {
    if !cursor.accept("[")? {
        return Ok(Brackets::None);
    }
    cursor.skip_blank()?;
    if cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
        let about = range(cursor)?;
        cursor.expect("]")?;
        return Ok(Brackets::Segment(about));
    }
    let text = cursor.until("]")?;
    Ok(ip_header(text)
        .map_or_else(|| Brackets::Foreign(format!("the IP header's {}", text.trim())), Brackets::Ip))
}

/// `ect0`, `tos 0x10, ttl 64`; none where one of them is not known.
fn ip_header(text: &str) -> Option<IpPattern> {
    let mut ip = IpPattern::default();
    let mut words = text.split([' ', '\t', ',']).filter(|word| !word.is_empty());
    while let Some(word) = words.next() {
        match word {
            "noecn" => ip.ecn = Some(EcnPattern::NotCapable),
            "ect0" => ip.ecn = Some(EcnPattern::Ect0),
            "ect1" => ip.ecn = Some(EcnPattern::Ect1),
            "ect01" => ip.ecn = Some(EcnPattern::Ect),
            "ce" => ip.ecn = Some(EcnPattern::CongestionExperienced),
            "tos" => ip.traffic_class = Some(byte(words.next()?)?),
            "ttl" => ip.hop_limit = Some(byte(words.next()?)?),
            _ => return None,
        }
    }
    Some(ip)
}

fn byte(word: &str) -> Option<u8> {
    match word.strip_prefix("0x") {
        Some(digits) => u8::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    }
}

/// What stands behind `icmp`: type, code, MTU and, unless it stood before, the segment that it is about.
fn icmp(cursor: &mut Cursor<'_>, before: Option<(u32, u32)>) -> Result<Fields, ParseError> {
    cursor.skip_blank()?;
    let here = cursor.clone();
    let kind = cursor.word().ok_or_else(|| here.error("the type of an ICMP message"))?;
    let has_no_code = cursor.accept_word("mtu")?;
    let code = if has_no_code { "" } else { cursor.word().unwrap_or_default() };
    let mtu = if has_no_code || cursor.accept_word("mtu")? { cursor.number("an MTU")? } else { 0 };
    let behind = if before.is_none() { brackets(cursor)? } else { Brackets::None };
    let about = match behind {
        Brackets::Segment(about) => about,
        Brackets::None => before.unwrap_or_default(),
        _ => return Ok(Fields::Foreign("ICMP messages about what is no segment".to_owned())),
    };
    Ok(match IcmpMessage::named(kind, code) {
        Some(message) => Fields::Icmp(IcmpPattern { message, mtu, about }),
        None => Fields::Foreign(format!("the ICMP message {}", format!("{kind} {code}").trim_end())),
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
    let mut list: Vec<OptionPattern> = Vec::new();
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

fn option(cursor: &mut Cursor<'_>) -> Result<Result<OptionPattern, String>, ParseError> {
    let here = cursor.clone();
    let name = cursor.word().ok_or_else(|| here.error("the name of a TCP option"))?;
    let option = match name {
        "nop" => TcpOption::Nop,
        "eol" => TcpOption::Eol,
        "mss" => TcpOption::Mss(cursor.number("a segment size from 0 to 65535")?),
        "wscale" => TcpOption::WindowScale(cursor.number("a shift from 0 to 255")?),
        "sackOK" => TcpOption::SackPermitted,
        "sack" => TcpOption::Sack(blocks(cursor)?),
        "TS" => timestamps(cursor)?,
        "ECN" => counters(cursor)?,
        "FO" | "FOEXP" => {
            let is_experimental = name == "FOEXP";
            match bytes(cursor)? {
                Data::Bytes(cookie) if is_experimental => TcpOption::FastOpenExperimental(cookie),
                Data::Bytes(cookie) => TcpOption::FastOpen(cookie),
                Data::Named(name) => return Ok(Ok(OptionPattern::Cookie { name, is_experimental })),
            }
        }
        "md5" => match bytes(cursor)? {
            Data::Bytes(data) => TcpOption::Other { kind: MD5, data },
            Data::Named(_) => return Ok(Err("valid signatures".to_owned())),
        },
        other => return Ok(Err(format!("the TCP option {other}"))),
    };
    Ok(Ok(option.into()))
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

/// `e1b 1 ceb 0 e0b 1`, or the first ones of either order.
fn counters(cursor: &mut Cursor<'_>) -> Result<TcpOption, ParseError> {
    let mut found: Vec<u32> = Vec::new();
    let mut order = EcnOrder::Ect1First;
    while found.len() < order.names().len() {
        if found.is_empty() && cursor.accept_word(EcnOrder::Ect0First.names()[0])? {
            order = EcnOrder::Ect0First;
        } else if !cursor.accept_word(order.names()[found.len()])? {
            break;
        }
        let here = cursor.clone();
        let counter = cursor.number(COUNTERS)?;
        if counter >= 1 << COUNTER_BITS {
            return Err(here.error(COUNTERS));
        }
        found.push(counter);
    }
    Ok(TcpOption::AccEcn(order, found))
}

fn timestamps(cursor: &mut Cursor<'_>) -> Result<TcpOption, ParseError> {
    cursor.expect("val")?;
    let value = cursor.number("a timestamp")?;
    cursor.expect("ecr")?;
    let echo = cursor.number("an echoed timestamp")?;
    Ok(TcpOption::Timestamps { value, echo })
}

/// Bytes of an option.
enum Data {
    Bytes(Vec<u8>),
    Named(String),
}

/// Hexadecimal bytes, maybe none, or a name that stands for them.
fn bytes(cursor: &mut Cursor<'_>) -> Result<Data, ParseError> {
    cursor.skip_blank()?;
    let here = cursor.clone();
    let written = cursor.take_while(|c| c.is_ascii_alphanumeric() || c == '_').unwrap_or_default();
    let digits = written.strip_prefix("0x").unwrap_or(written);
    if !digits.chars().all(|c| c.is_ascii_hexdigit()) {
        return Ok(Data::Named(written.to_owned()));
    }
    hexadecimal(digits).map(Data::Bytes).ok_or_else(|| here.error("two hexadecimal digits for each byte"))
}

/// The bytes of two hexadecimal digits each; none where it is something else.
pub(crate) fn hexadecimal(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
            u8::from_str_radix(&String::from_utf8_lossy(pair), 16).ok()
        }
        _ => None,
    });
    pairs.collect()
}
