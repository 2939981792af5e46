//! Understands the calls of a script.

use std::collections::BTreeMap;

use crate::call::{Address, Buffer, Call, Domain, End, OptionShape, OptionValue, SocketOption, Transfer};
use crate::expected::ExpectedOutput;
use crate::expression::{Definitions, Expression};
use crate::outcome::{Handle, Missing, Output};
use crate::script::CallLine;
use crate::settings::{IpVersion, Settings};
use crate::symbols::option_name;

/// What a script calls its descriptors.
pub(crate) type Handles = BTreeMap<i64, Handle>;

/// Bytes of one call at most.
const LARGEST_TRANSFER: u64 = 1 << 30;
/// Bytes of a number of C.
const INTEGER_BYTES: i64 = 4;
const LONG_BYTES: i64 = 8;

/// A call that is understood, and what is expected of its arguments.
pub(crate) struct Prepared {
    pub call: Call,
    pub output: ExpectedOutput,
}

/// Understands a call.
pub(crate) fn prepare(line: &CallLine, settings: &Settings, handles: &Handles) -> Result<Prepared, Missing> {
    Arguments { line, defined: &settings.defined, ip_version: settings.ip_version, handles }.prepare()
}

/// A call with what its arguments may name.
pub(crate) struct Arguments<'a> {
    pub line: &'a CallLine,
    pub defined: &'a Definitions,
    pub ip_version: IpVersion,
    pub handles: &'a Handles,
}

impl Arguments<'_> {
    fn prepare(&self) -> Result<Prepared, Missing> {
        let mut output = ExpectedOutput::Any;
        let call = match self.line.name.as_str() {
            "socket" => self.socket()?,
            "bind" => Call::Bind(self.handle(0), self.address(1)?),
            "listen" => Call::Listen(self.handle(0), self.number(1)? as i32),
            "accept" => Call::Accept { socket: self.handle(0), nonblocking: false },
            "accept4" => Call::Accept {
                socket: self.handle(0),
                nonblocking: self.number(3)? & i64::from(libc::SOCK_NONBLOCK) != 0,
            },
            "connect" => Call::Connect(self.handle(0), self.address(1)?),
            "getsockname" | "getpeername" => {
                output = self.address_output(1)?;
                let end = if self.line.name == "getsockname" { End::Local } else { End::Peer };
                Call::Name(self.handle(0), end)
            }
            "read" => Call::Read(self.transfer(vec![self.buffer()?], None)?),
            "recv" | "recvfrom" => Call::Read(self.transfer(vec![self.buffer()?], Some(3))?),
            "write" => Call::Write(self.transfer(vec![self.buffer()?], None)?),
            "send" => Call::Write(self.transfer(vec![self.buffer()?], Some(3))?),
            "sendto" => self.send_to()?,
            "readv" => Call::Read(self.transfer(self.vector(self.argument(1)?)?, None)?),
            "writev" => Call::Write(self.transfer(self.vector(self.argument(1)?)?, None)?),
            "recvmsg" => {
                let (call, expected) = self.receive()?;
                output = expected;
                call
            }
            "sendmsg" => self.send()?,
            "setsockopt" => Call::SetOption(self.option()?, self.option_value()?),
            "getsockopt" => {
                let (shape, expected) = self.option_shape()?;
                output = expected;
                Call::GetOption(self.option()?, shape)
            }
            "fcntl" => self.fcntl()?,
            "ioctl" => {
                output = self.integer_output(2);
                Call::Ioctl(self.handle(0), self.number(1)?)
            }
            "shutdown" => Call::Shutdown(self.handle(0), self.number(1)? as i32),
            "close" => Call::Close(self.handle(0)),
            "pipe" => Call::Pipe,
            "open" => match self.argument(0)? {
                Expression::Text(path) => Call::Open(path.clone(), self.number(1)? as i32),
                other => return Err(Missing(format!("files such as {other}"))),
            },
            "splice" => Call::Splice {
                from: self.handle(0),
                to: self.handle(2),
                length: self.length(4)?,
                flags: self.number(5)? as u32,
            },
            "sendfile" => Call::SendFile {
                to: self.handle(0),
                from: self.handle(1),
                offset: match self.argument(2)? {
                    Expression::List(_) => Some(self.number(2)?),
                    _ => None,
                },
                length: self.length(3)?,
            },
            "poll" => {
                let (call, expected) = self.poll()?;
                output = expected;
                call
            }
            "epoll_create" | "epoll_create1" => Call::EpollCreate,
            "epoll_ctl" => Call::EpollControl {
                epoll: self.handle(0),
                operation: self.number(1)? as i32,
                socket: self.handle(2),
                events: self.argument(3)?.field("events").map_or(Ok(0), |events| self.value(events))?,
            },
            "epoll_wait" => {
                output = self.ready()?;
                Call::EpollWait {
                    epoll: self.handle(0),
                    most: self.number(2)? as i32,
                    timeout_ms: self.number(3)? as i32,
                }
            }
            other => return Err(Missing(format!("the system call {other}"))),
        };
        Ok(Prepared { call, output })
    }

    // ---- single arguments ----------------------------------------------------------------------------------

    pub fn argument(&self, at: usize) -> Result<&Expression, Missing> {
        self.line
            .arguments
            .get(at)
            .ok_or_else(|| Missing(format!("argument {} of {}", at + 1, self.line.name)))
    }

    pub fn value(&self, expression: &Expression) -> Result<i64, Missing> {
        expression.number(self.defined).ok_or_else(|| {
            let name = expression.unknown_name(self.defined);
            Missing(name.map_or(expression.to_string(), |name| format!("the name {name}")))
        })
    }

    pub fn number(&self, at: usize) -> Result<i64, Missing> {
        self.value(self.argument(at)?)
    }

    /// A number of bytes, which is the result's where it is left open.
    fn length(&self, at: usize) -> Result<u64, Missing> {
        match (self.argument(at)?, &self.line.result) {
            (Expression::Any, Some(result)) => Ok(self.value(result)?.max(0) as u64),
            (length, _) => Ok(self.value(length)?.max(0) as u64),
        }
    }

    /// The descriptor that an argument names; none where it is not open.
    fn handle(&self, at: usize) -> Handle {
        let number = self.line.arguments.get(at).and_then(|argument| argument.number(self.defined));
        number.and_then(|number| self.handles.get(&number)).copied().unwrap_or(Handle::NONE)
    }

    fn handle_of(&self, record: &Expression) -> Handle {
        let number = record.field("fd").and_then(|fd| fd.number(self.defined));
        number.and_then(|number| self.handles.get(&number)).copied().unwrap_or(Handle::NONE)
    }

    fn integer_output(&self, at: usize) -> ExpectedOutput {
        let number = self.line.arguments.get(at).and_then(|argument| argument.number(self.defined));
        number.map_or(ExpectedOutput::Any, |number| ExpectedOutput::Exactly(Output::Integer(number)))
    }

    // ---- calls ---------------------------------------------------------------------------------------------

    fn socket(&self) -> Result<Call, Missing> {
        let written = self.argument(0)?;
        let number = if *written == Expression::Any { None } else { Some(self.value(written)?) };
        let domain = match number {
            None => Domain::Script,
            Some(number) if number == i64::from(libc::AF_INET) => Domain::V4,
            Some(number) if number == i64::from(libc::AF_INET6) => Domain::V6,
            Some(_) => return Err(Missing(format!("sockets of {written}"))),
        };
        let kind = self.number(1)?;
        if kind & 0xf != i64::from(libc::SOCK_STREAM) {
            return Err(Missing(format!("sockets of {}", self.argument(1)?)));
        }
        let protocol = self.argument(2)?;
        if !matches!(self.value(protocol)?, 0 | 6) {
            return Err(Missing(format!("sockets of {protocol}")));
        }
        Ok(Call::Socket { domain, nonblocking: kind & i64::from(libc::SOCK_NONBLOCK) != 0 })
    }

    pub fn transfer(&self, buffers: Vec<Buffer>, flags: Option<usize>) -> Result<Transfer, Missing> {
        let flags = flags.map(|at| self.number(at)).transpose()?.map(|flags| flags as i32);
        let whole = buffers.iter().fold(0, |all: u64, buffer| all.saturating_add(buffer.length));
        if whole > LARGEST_TRANSFER {
            return Err(Missing(format!("buffers of more than {LARGEST_TRANSFER} bytes")));
        }
        Ok(Transfer { socket: self.handle(0), buffers, flags })
    }

    fn send_to(&self) -> Result<Call, Missing> {
        if let Ok(Address::Unspecified) = self.address(4) {
            return Err(Missing("sendto without a family of addresses".to_owned()));
        }
        let transfer = self.transfer(vec![self.buffer()?], Some(3))?;
        Ok(if transfer.has(libc::MSG_FASTOPEN) { Call::SendTo(transfer) } else { Call::Write(transfer) })
    }

    /// `..., 500` as the second and third argument.
    fn buffer(&self) -> Result<Buffer, Missing> {
        Ok(Buffer { pointer: self.pointer(self.argument(1)?)?, length: self.length(2)? })
    }

    /// An address that is written, which is `NULL` or the kernel's; whatever there is where it is `...` or a text.
    fn pointer(&self, written: &Expression) -> Result<Option<i64>, Missing> {
        match written {
            Expression::Any | Expression::Text(_) | Expression::List(_) => Ok(None),
            Expression::Field(_, value) => self.pointer(value),
            // One that could be the interpreter's own is no script's to write to.
            number => match self.value(number)? {
                outside if outside <= 0 => Ok(Some(outside)),
                address => Err(Missing(format!("buffers at the address {address:#x}"))),
            },
        }
    }

    /// `[{..., 500}, {..., 500}]`.
    pub fn vector(&self, list: &Expression) -> Result<Vec<Buffer>, Missing> {
        let Expression::List(items) = list else { return Err(Missing(format!("buffers such as {list}"))) };
        let number = |written: &Expression| match written {
            Expression::Field(_, value) => self.value(value),
            value => self.value(value),
        };
        let buffer = |item: &Expression| match item {
            Expression::Record(parts) => match parts.as_slice() {
                [pointer, length] => {
                    Ok(Buffer { pointer: self.pointer(pointer)?, length: number(length)?.max(0) as u64 })
                }
                _ => Err(Missing(format!("buffers such as {item}"))),
            },
            other => Err(Missing(format!("buffers such as {other}"))),
        };
        items.iter().map(buffer).collect()
    }

    fn option(&self) -> Result<SocketOption, Missing> {
        Ok(SocketOption { socket: self.handle(0), level: self.number(1)?, name: self.number(2)? })
    }

    /// The length of an option, where it is written: `4`, `[4]`.
    fn option_length(&self) -> Option<i64> {
        self.line.arguments.get(4).and_then(|length| length.number(self.defined))
    }

    fn option_value(&self) -> Result<OptionValue, Missing> {
        let value = self.argument(3)?;
        let of = |name: &str| value.field(name).map(|field| self.value(field)).transpose();
        match value {
            Expression::Text(text) => Ok(match escaped_bytes(text) {
                Some(bytes) => OptionValue::Bytes(bytes),
                None => OptionValue::Text(text.clone()),
            }),
            Expression::List(items) if matches!(items.as_slice(), [Expression::Text(_)]) => {
                let Expression::Text(text) = &items[0] else { unreachable!("it is a text") };
                Ok(OptionValue::Text(text.clone()))
            }
            Expression::Record(fields) => {
                let linger = (of("onoff")?.or(of("l_onoff")?), of("linger")?.or(of("l_linger")?));
                match (linger, of("tv_sec")?, fields.as_slice()) {
                    ((Some(on), Some(seconds)), ..) => Ok(OptionValue::Linger(on, seconds)),
                    (_, Some(seconds), _) => Ok(OptionValue::Time(seconds, of("tv_usec")?.unwrap_or(0))),
                    (.., [on, seconds]) if self.number(2)? == i64::from(libc::SO_LINGER) => {
                        Ok(OptionValue::Linger(self.value(on)?, self.value(seconds)?))
                    }
                    _ => Err(Missing(option_name(self.number(1)?, self.number(2)?))),
                }
            }
            value => {
                let number = self.value(value)?;
                match self.option_length() {
                    Some(length) if (0..=LONG_BYTES).contains(&length) && length != INTEGER_BYTES => {
                        Ok(OptionValue::Bytes(number.to_ne_bytes()[..length as usize].to_vec()))
                    }
                    _ => Ok(OptionValue::Integer(number)),
                }
            }
        }
    }

    fn option_shape(&self) -> Result<(OptionShape, ExpectedOutput), Missing> {
        let value = self.argument(3)?;
        let (level, name) = (self.number(1)?, self.number(2)?);
        let shape = match (level as i32, name as i32) {
            (libc::SOL_SOCKET, libc::SO_LINGER) => OptionShape::Linger,
            (libc::SOL_SOCKET, libc::SO_RCVTIMEO | libc::SO_SNDTIMEO) => OptionShape::Time,
            (libc::SOL_TCP, libc::TCP_CONGESTION | libc::TCP_ULP) => OptionShape::Text,
            _ if self.option_length() == Some(LONG_BYTES) => OptionShape::Long,
            _ => OptionShape::Integer,
        };
        let is_any = match value {
            Expression::List(items) => matches!(items.as_slice(), [Expression::Any]),
            value => *value == Expression::Any,
        };
        if is_any {
            return Ok((shape, ExpectedOutput::Any));
        }
        let expected = match (shape, self.option_value()) {
            (OptionShape::Linger, Ok(OptionValue::Linger(on, seconds))) => Output::Linger(on, seconds),
            (OptionShape::Time, Ok(OptionValue::Time(seconds, micros))) => Output::Time(seconds, micros),
            (OptionShape::Text, Ok(OptionValue::Text(text))) => Output::Text(text),
            (OptionShape::Integer | OptionShape::Long, _) if !matches!(value, Expression::Record(_)) => {
                Output::Integer(self.value(value)?)
            }
            _ => return Err(Missing(option_name(level, name))),
        };
        Ok((shape, ExpectedOutput::Exactly(expected)))
    }

    fn fcntl(&self) -> Result<Call, Missing> {
        match self.number(1)? {
            command if command == i64::from(libc::F_GETFL) => Ok(Call::GetFlags(self.handle(0))),
            command if command == i64::from(libc::F_SETFL) => {
                Ok(Call::SetFlags(self.handle(0), self.number(2)? as i32))
            }
            _ => Err(Missing(format!("fcntl with {}", self.argument(1)?))),
        }
    }

    fn poll(&self) -> Result<(Call, ExpectedOutput), Missing> {
        let list = self.argument(0)?;
        let Expression::List(items) = list else {
            return Err(Missing(format!("descriptors such as {list}")));
        };
        let of = |item: &Expression, name: &str| item.field(name).map_or(Ok(0), |events| self.value(events));
        let entries = items.iter().map(|item| Ok((self.handle_of(item), of(item, "events")? as i16)));
        let revents = items.iter().map(|item| of(item, "revents")).collect::<Result<_, _>>()?;
        let call =
            Call::Poll { entries: entries.collect::<Result<_, _>>()?, timeout_ms: self.number(2)? as i32 };
        Ok((call, ExpectedOutput::Exactly(Output::Events(revents))))
    }

    /// The events that `epoll_wait` is expected to give: as many as it returns.
    fn ready(&self) -> Result<ExpectedOutput, Missing> {
        let count = self.line.result.as_ref().and_then(|result| result.number(self.defined)).unwrap_or(0);
        let written = self.argument(1)?;
        let records = match written {
            Expression::List(items) => items.as_slice(),
            Expression::Any => return Ok(ExpectedOutput::Any),
            _ => std::slice::from_ref(written),
        };
        let records = records.iter().take(count.max(0) as usize);
        let events = records.map(|record| record.field("events").map_or(Ok(0), |events| self.value(events)));
        Ok(ExpectedOutput::Exactly(Output::Events(events.collect::<Result<_, _>>()?)))
    }
}

/// The bytes of a text that is nothing but their numbers: `"\\xa1\\xb2"`.
fn escaped_bytes(text: &str) -> Option<Vec<u8>> {
    let numbers = text.strip_prefix("\\x")?.split("\\x");
    numbers.map(|number| u8::from_str_radix(number, 16).ok()).collect()
}
