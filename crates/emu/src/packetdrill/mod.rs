//! The kernel as what a script of packetdrill runs against: real sockets, and a TUN device as their peer.
//!
//! The calling thread is in the namespace of the device, and so is every thread and program that this starts.

mod calls;
mod control;
mod device;
mod info;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::num::NonZeroU16;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration as StdDuration, Instant};

use bentpipe_packetdrill::{
    Backend, Call, Captured, Effect, Ended, Handle, Icmp, Missing, Outcome, Output, Packet, Progress,
    Settings, TcpInfo, effects, wire,
};
use bentpipe_units::{Duration, Time};

use calls::Target;
use device::{Device, Taken};

/// How long something is waited for that should have happened.
const PATIENCE: Duration = Duration::from_secs(2);
/// How a shell ends that does not find a program (POSIX.1-2024, Shell and Utilities, 2.8.2).
const NOT_FOUND: i32 = 127;
/// What Linux has where nobody chose.
const LINUX_DEFAULT: &str = "cubic";
/// Segments that leave at once are read as fast as the reader runs.
const BURST: Duration = Duration::from_millis(2);

/// The kernel of this machine.
pub struct Kernel {
    start: Instant,
    local: IpAddr,
    remote: IpAddr,
    /// What a segment holds that comes in a super-segment.
    mss: Option<NonZeroU16>,
    target: Target,
    device: Device,
    folder: PathBuf,
    opened: Vec<Handle>,
    /// The congestion control that sockets get.
    congestion_control: String,
    /// The end of the call that blocks.
    blocked: Option<Receiver<(Instant, Outcome)>>,
}

impl Kernel {
    /// Takes a TUN device with virtio headers, whose other end has the address `settings.local`; commands run in
    /// `folder`. Time starts now.
    ///
    /// # Errors
    /// When the device cannot be read.
    pub fn new(settings: &Settings, device: OwnedFd, folder: PathBuf) -> std::io::Result<Self> {
        Ok(Self {
            start: Instant::now(),
            local: settings.local,
            remote: settings.remote,
            mss: settings.mss,
            target: Target::of(settings),
            device: Device::new(device)?,
            folder,
            opened: Vec::new(),
            congestion_control: LINUX_DEFAULT.to_owned(),
            blocked: None,
        })
    }

    fn time_of(&self, instant: Instant) -> Time {
        let span = instant.saturating_duration_since(self.start);
        Time::ZERO + Duration::from_nanos(u64::try_from(span.as_nanos()).unwrap_or(u64::MAX))
    }

    /// How long it is until then.
    fn left_until(&self, at: Time) -> StdDuration {
        StdDuration::from_nanos(at.saturating_add(Duration::ZERO).since(self.now()).as_nanos())
    }

    /// What a command does, as far as that is understood without running it.
    fn effects_of(&self, command: &str) -> Vec<Effect> {
        effects(command, &|name: &str| std::fs::read_to_string(self.folder.join(name)).ok())
    }

    /// The number that a command has given a sysctl and that this kernel has not taken, such as one for a feature of a
    /// newer one.
    fn refused_sysctl(&self, command: &str) -> Option<String> {
        let mut asked: BTreeMap<String, String> = BTreeMap::new();
        for effect in self.effects_of(command) {
            if let Effect::Sysctl { path, value } = effect {
                asked.insert(path, value);
            }
        }
        let differs = |(path, value): &(String, String)| {
            let kept = std::fs::read_to_string(format!("/proc/sys/{}", path.replace('.', "/")));
            let kept = kept.ok().and_then(|kept| kept.trim().parse::<i64>().ok());
            value.parse().is_ok_and(|value: i64| kept.is_some_and(|kept| kept != value))
        };
        asked.into_iter().find(differs).map(|(path, value)| format!("{path}={value}"))
    }

    /// A namespace refuses a default congestion control that is not for everybody (`tcp_allowed_congestion_control`),
    /// which root may choose for a socket all the same.
    fn learn_congestion_control(&mut self, command: &str) {
        let chosen = self.effects_of(command).into_iter().rev().find_map(|effect| match effect {
            Effect::Sysctl { path, value } if path == "net.ipv4.tcp_congestion_control" => Some(value),
            _ => None,
        });
        self.congestion_control = chosen.unwrap_or_else(|| self.congestion_control.clone());
    }

    fn hand_over(&self, packet: &[u8], segment_bytes: Option<NonZeroU16>) -> Result<(), Missing> {
        let written = self.device.write(packet, segment_bytes);
        written.map_err(|error| Missing(format!("a device that takes a packet: {error}")))
    }

    /// Keeps the descriptors that a call made, to close them at the end.
    fn note(&mut self, call: &Call, outcome: &Outcome) {
        if outcome.result >= 0 {
            match call {
                Call::Socket { .. } => {
                    self.opened.push(Handle(outcome.result));
                    calls::choose_congestion_control(Handle(outcome.result), &self.congestion_control);
                }
                Call::Accept { .. } | Call::EpollCreate | Call::Open(..) => {
                    self.opened.push(Handle(outcome.result));
                }
                Call::Pipe => {
                    if let Output::Descriptors(opened) = outcome.output {
                        self.opened.extend(opened.map(Handle));
                    }
                }
                Call::Close(handle) => self.opened.retain(|opened| opened != handle),
                _ => {}
            }
        }
    }
}

impl Backend for Kernel {
    fn patience(&self) -> Duration {
        PATIENCE
    }

    fn burst(&self) -> Duration {
        BURST
    }

    fn now(&self) -> Time {
        self.time_of(Instant::now())
    }

    fn wait_until(&mut self, at: Time) {
        let left = self.left_until(at);
        if !left.is_zero() {
            std::thread::sleep(left);
        }
    }

    fn inject(&mut self, packet: &Packet) -> Result<(), Missing> {
        self.hand_over(&wire::encode(packet, self.remote, self.local), self.mss)
    }

    fn inject_icmp(&mut self, icmp: &Icmp) -> Result<(), Missing> {
        let bytes = wire::encode_icmp(icmp, self.remote, self.local);
        let missing = || Missing("a message that this version of ICMP does not have".to_owned());
        self.hand_over(&bytes.ok_or_else(missing)?, None)
    }

    fn next_packet(&mut self, until: Time) -> Option<Captured> {
        let Taken { at, packet, segment_bytes } = self.device.next(self.left_until(until))?;
        Some(Captured { at: self.time_of(at), packet, segment_bytes })
    }

    fn call(&mut self, call: &Call, patience: Duration) -> Result<Progress, Missing> {
        let (done, end) = channel();
        let (target, asked) = (self.target, call.clone());
        std::thread::spawn(move || {
            let outcome = calls::perform(&asked, target);
            // Nobody listens any more where the script has failed meanwhile.
            let _ = done.send((Instant::now(), outcome));
        });
        // A call that is said to block is given a moment, for it may not.
        let patience = StdDuration::from_nanos(patience.as_nanos()).max(StdDuration::from_micros(500));
        match end.recv_timeout(patience) {
            Ok((_, outcome)) => {
                self.note(call, &outcome);
                Ok(Progress::Done(outcome))
            }
            Err(RecvTimeoutError::Timeout) => {
                self.blocked = Some(end);
                Ok(Progress::Blocked)
            }
            Err(RecvTimeoutError::Disconnected) => Err(Missing("a thread for the call".to_owned())),
        }
    }

    fn finish(&mut self, until: Time) -> Option<(Time, Outcome)> {
        let (at, outcome) = self.blocked.as_ref()?.recv_timeout(self.left_until(until)).ok()?;
        self.blocked = None;
        Some((self.time_of(at), outcome))
    }

    fn shell(&mut self, command: &str) -> Result<Ended, Missing> {
        self.learn_congestion_control(command);
        // Scripts undo their settings by the number of the process that ran them.
        let output = Command::new("/bin/sh")
            .args(["-c", command])
            .current_dir(&self.folder)
            .env("PACKETDRILL_PID", std::process::id().to_string())
            .stdin(Stdio::null())
            .output()
            .map_err(|error| Missing(format!("a shell: {error}")))?;
        if let Some(refused) = self.refused_sysctl(command) {
            return Err(Missing(refused));
        }
        if output.status.success() {
            return Ok(Ended::Well);
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let last = said.lines().rfind(|line| !line.trim().is_empty()).map(str::to_owned);
        let last = last.unwrap_or_else(|| output.status.to_string());
        match output.status.code() {
            Some(NOT_FOUND) => Err(Missing(last)),
            _ => Ok(Ended::Badly(last)),
        }
    }

    fn tcp_info(&mut self, socket: Handle) -> Option<TcpInfo> {
        info::tcp_info(socket)
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        // What still blocks in one of them returns by that.
        for handle in &self.opened {
            calls::end(*handle);
        }
    }
}
