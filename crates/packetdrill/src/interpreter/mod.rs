//! Runs a script, event by event, against a backend.

mod segments;
mod unexpected;

use bentpipe_tcp::TimerWheel;
use bentpipe_units::{Duration, Time};

use crate::backend::{Backend, Captured, Ended, Progress, TcpInfo};
use crate::call::Call;
use crate::expected::{ExpectedOutput, difference};
use crate::expression::Expression;
use crate::flows::Flows;
use crate::names::Names;
use crate::outcome::{Handle, Missing, Outcome, Output};
use crate::packet::Flags;
use crate::prepare::{Handles, prepare};
use crate::script::{Action, Base, CallLine, Event, Script, When};
use crate::settings::Settings;
use crate::verdict::{Difference, Skip, Verdict};
pub use unexpected::Unexpected;

/// Judges a line of Python: `Ok` where it ends without an error.
pub type Evaluate<'a> = dyn FnMut(&Code<'_>) -> Result<(), CodeError> + 'a;

/// Python of a script, with what it may look at.
#[derive(Clone, Debug)]
pub struct Code<'a> {
    /// Line of the event.
    pub line: u32,
    /// The text.
    pub text: &'a str,
    /// The state of the socket that was used last.
    pub info: TcpInfo,
}

/// Why a line of Python did not end well.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeError {
    /// It raised: what it said.
    Raised(String),
    /// It names what the backend does not know.
    Unknown(String),
}

/// An IP packet has 65535 bytes (RFC 791), of which the longest headers take 80.
const LARGEST_PAYLOAD: u32 = 65_535 - 80;

/// A script that was run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// How it ended.
    pub verdict: Verdict,
    /// What the endpoint sent beside, by the end of one that passed.
    pub unexpected: Vec<Unexpected>,
}

/// Runs a script to its end, or to the first difference.
pub fn run<B: Backend>(
    script: &Script,
    settings: &Settings,
    backend: &mut B,
    evaluate: &mut Evaluate<'_>,
) -> Judged {
    let mut interpreter = Interpreter {
        settings,
        backend,
        evaluate,
        handles: Handles::new(),
        latest: Handle::NONE,
        flows: Flows::default(),
        names: Names::of(&settings.defined),
        listeners: Vec::new(),
        is_accepted: false,
        awaits_syn: false,
        kept: None,
        start: Time::ZERO,
        previous: Time::ZERO,
        is_running: false,
        blocked: None,
    };
    let events = || script.events.iter();
    let ended = interpreter
        .prepare()
        .and_then(|()| events().try_for_each(|event| interpreter.event(event)))
        .and_then(|()| interpreter.settle(None));
    let verdict = match ended {
        Ok(()) => return Judged { verdict: Verdict::Passed, unexpected: interpreter.unexpected() },
        Err(Stop::Failed(difference)) => Verdict::Failed(difference),
        Err(Stop::Skipped(skip)) => Verdict::Skipped(skip),
    };
    Judged { verdict, unexpected: Vec::new() }
}

/// Whether a segment opens a connection: a SYN that acknowledges nothing.
const fn is_opening(flags: Flags) -> bool {
    flags.contains(Flags::SYN) && !flags.contains(Flags::ACK)
}

/// Why a script ends before its end.
enum Stop {
    Failed(Difference),
    Skipped(Skip),
}

struct Interpreter<'a, B> {
    settings: &'a Settings,
    backend: &'a mut B,
    evaluate: &'a mut Evaluate<'a>,
    /// What the script calls its descriptors.
    handles: Handles,
    /// The socket that was used last.
    latest: Handle,
    flows: Flows,
    names: Names,
    /// Descriptors of the sockets that listen.
    listeners: Vec<i64>,
    /// Whether the application has the connection that the peer opened last.
    is_accepted: bool,
    /// Whether the application opens a connection whose SYN has not been looked at.
    awaits_syn: bool,
    /// A segment that was looked at and belongs to a later event.
    kept: Option<Captured>,
    /// What absolute times count from: when the commands at the script's head were over.
    start: Time,
    /// When the last event was over.
    previous: Time,
    /// Whether there was an event behind the commands at the script's head.
    is_running: bool,
    /// The call that blocks.
    blocked: Option<Blocked>,
}

/// A call that has not returned.
struct Blocked {
    line: u32,
    call: CallLine,
    expected: ExpectedOutput,
    /// When it should.
    until: Time,
    /// When it started.
    since: Time,
}

/// When an event is due.
#[derive(Clone, Copy)]
struct Due {
    from: Time,
    to: Time,
    /// What the time is counted from at which a call that blocks returns.
    base: Time,
    /// When the last event was over, from which count its tolerance and how late a timer may be.
    since: Time,
    is_any: bool,
}

impl<B: Backend> Interpreter<'_, B> {
    /// Runs the shell scripts that come before the first event.
    fn prepare(&mut self) -> Result<(), Stop> {
        let settings = self.settings;
        settings.before.iter().try_for_each(|command| self.shell(1, command))?;
        self.start = self.backend.now();
        Ok(())
    }

    fn event(&mut self, event: &Event) -> Result<(), Stop> {
        let is_command = matches!(event.action, Action::Shell(_)) && event.when == When::Next;
        let is_at_head = is_command && !self.is_running;
        self.is_running = !is_at_head;
        let due = self.due(event.when);
        let line = event.line;
        let needs = |missing: Missing| Stop::Skipped(Skip { line, what: missing.0 });
        match &event.action {
            Action::Foreign(what) => return Err(needs(Missing(what.clone()))),
            Action::Expect(pattern) => return self.expect(line, due, pattern),
            _ => self.backend.wait_until(due.from),
        }
        match &event.action {
            Action::Inject(pattern) => {
                if pattern.length > LARGEST_PAYLOAD {
                    return Err(needs(Missing("segments that no IP packet holds".to_owned())));
                }
                let packet = self.injected(pattern).map_err(needs)?;
                self.backend.inject(&packet).map_err(needs)?;
            }
            Action::InjectIcmp(pattern) => self.icmp(pattern).map_err(needs)?,
            Action::Call(call) => return self.call(line, due, call),
            Action::Shell(command) => self.shell(line, command)?,
            Action::Code(text) => self.code(line, text)?,
            Action::Expect(_) | Action::Foreign(_) => {}
        }
        self.previous = self.backend.now();
        if is_at_head {
            self.start = self.previous;
        }
        Ok(())
    }

    fn due(&self, when: When) -> Due {
        let (now, since) = (self.backend.now(), self.previous);
        match when {
            When::Any => Due { from: now, to: now + self.backend.patience(), base: now, since, is_any: true },
            When::Next => Due { from: now, to: now, base: now, since, is_any: false },
            When::Between { base, from, to } => {
                let base = match base {
                    Base::Start => self.start,
                    Base::Previous => self.previous,
                };
                Due { from: base + from, to: base + to, base, since, is_any: false }
            }
        }
    }

    // ---- calls ---------------------------------------------------------------------------------------------

    fn call(&mut self, line: u32, due: Due, written: &CallLine) -> Result<(), Stop> {
        self.settle(None)?;
        let needs = |missing: Missing| Stop::Skipped(Skip { line, what: missing.0 });
        let prepared = prepare(written, self.settings, &self.handles).map_err(needs)?;
        let patience = written.until.map_or(self.backend.patience(), |_| Duration::ZERO);
        let start = self.backend.now();
        self.awaits_syn |= matches!(prepared.call, Call::Connect(..) | Call::SendTo(_));
        let progress = self.backend.call(&prepared.call, patience).map_err(needs)?;
        self.previous = self.backend.now();
        if let Some(until) = written.until {
            self.previous = start;
            let (call, expected) = (written.clone(), prepared.output);
            let blocked = Blocked { line, call, expected, until: due.base + until, since: start };
            return match progress {
                Progress::Done(outcome) => self.returned(&blocked, start, &outcome),
                Progress::Blocked => {
                    self.blocked = Some(blocked);
                    Ok(())
                }
            };
        }
        match progress {
            Progress::Done(outcome) => {
                self.previous = self.backend.now();
                if let Call::Close(_) = prepared.call {
                    self.forget(written);
                }
                self.check_outcome(line, written, &prepared.output, &outcome)
            }
            Progress::Blocked => fail(line, &format!("{} to return", written.name), "that it blocks"),
        }
    }

    /// Waits for the call that blocks; where a time is given, only if it should be over by then.
    fn settle(&mut self, by: Option<Time>) -> Result<(), Stop> {
        let Some(blocked) = self.blocked.take_if(|blocked| by.is_none_or(|by| blocked.until <= by)) else {
            return Ok(());
        };
        let until = blocked.until + self.settings.tolerance + self.backend.patience();
        match self.backend.finish(until) {
            Some((at, outcome)) => self.returned(&blocked, at, &outcome),
            None => fail(blocked.line, &format!("{} to return", blocked.call.name), "that it still blocks"),
        }
    }

    fn returned(&mut self, blocked: &Blocked, at: Time, outcome: &Outcome) -> Result<(), Stop> {
        self.check_outcome(blocked.line, &blocked.call, &blocked.expected, outcome)?;
        let Blocked { until, since, .. } = *blocked;
        let due = Due { from: until, to: until, base: since, since, is_any: false };
        self.check_time(blocked.line, due, at, &format!("{} to return", blocked.call.name))
    }

    fn check_outcome(
        &mut self,
        line: u32,
        written: &CallLine,
        expected: &ExpectedOutput,
        outcome: &Outcome,
    ) -> Result<(), Stop> {
        if let Some((expected, found)) = difference(written, &self.settings.defined, expected, outcome) {
            return fail(line, &expected, &found);
        }
        let number = written.result.as_ref().and_then(|result| result.number(&self.settings.defined));
        match (written.name.as_str(), number) {
            ("socket" | "accept" | "accept4" | "epoll_create" | "epoll_create1" | "open", Some(number))
                if number >= 0 =>
            {
                let handle = Handle(outcome.result);
                self.handles.insert(number, handle);
                if matches!(written.name.as_str(), "socket" | "accept" | "accept4") {
                    self.latest = handle;
                }
                self.is_accepted |= written.name.starts_with("accept");
            }
            ("pipe", Some(0)) => {
                if let (Some(Expression::List(numbers)), Output::Descriptors(opened)) =
                    (written.arguments.first(), &outcome.output)
                {
                    let numbers = numbers.iter().filter_map(|number| number.number(&self.settings.defined));
                    self.handles.extend(numbers.zip(opened.map(Handle)));
                }
            }
            ("listen", Some(0)) => {
                let socket = written.arguments.first().and_then(|it| it.number(&self.settings.defined));
                self.listeners.extend(socket);
            }
            _ => {}
        }
        Ok(())
    }

    /// A descriptor is closed: its number means nothing any more.
    fn forget(&mut self, written: &CallLine) {
        let number = written.arguments.first().and_then(|argument| argument.number(&self.settings.defined));
        if let Some(number) = number {
            self.handles.remove(&number);
            self.listeners.retain(|listener| *listener != number);
        }
    }

    // ---- what is said of the endpoint ----------------------------------------------------------------------

    fn shell(&mut self, line: u32, command: &str) -> Result<(), Stop> {
        match self.backend.shell(command) {
            Ok(Ended::Well) => Ok(()),
            Ok(Ended::Badly(found)) => fail(line, &format!("`{}` to succeed", in_one_line(command)), &found),
            Err(missing) => Err(Stop::Skipped(Skip { line, what: missing.0 })),
        }
    }

    fn code(&mut self, line: u32, text: &str) -> Result<(), Stop> {
        let now = self.backend.now();
        self.settle(Some(now))?;
        let info = self.backend.tcp_info(self.latest).unwrap_or_default();
        match (self.evaluate)(&Code { line, text, info }) {
            Ok(()) => Ok(()),
            Err(CodeError::Raised(found)) => fail(line, first_line(text), &found),
            Err(CodeError::Unknown(what)) => Err(Stop::Skipped(Skip { line, what })),
        }
    }

    fn check_time(&self, line: u32, due: Due, at: Time, what: &str) -> Result<(), Stop> {
        let tolerance = self.settings.tolerance_of(due.to.since(due.since));
        let late = TimerWheel::lateness(due.to.since(due.since));
        if due.is_any || (at + tolerance >= due.from && at <= due.to + tolerance + late) {
            return Ok(());
        }
        let seconds = |time: Time| time.since(self.start).as_secs_f64();
        let span = if due.from == due.to {
            format!("{:.6} s", seconds(due.from))
        } else {
            format!("{:.6} to {:.6} s", seconds(due.from), seconds(due.to))
        };
        Err(Stop::Failed(Difference {
            line,
            expected: format!("{what} at {span}"),
            found: format!("it at {:.6} s", seconds(at)),
            is_timing: true,
        }))
    }
}

fn fail(line: u32, expected: &str, found: &str) -> Result<(), Stop> {
    let (expected, found) = (expected.to_owned(), found.to_owned());
    Err(Stop::Failed(Difference { line, expected, found, is_timing: false }))
}

fn in_one_line(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}
