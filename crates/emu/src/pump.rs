//! Packets from one TUN device to the other when the link says so: reading, sleeping, spinning, writing.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use bentpipe_link::{Direction, Ecn, Event, Packet, Path};
use bentpipe_run::{LinkReport, RunSpec};
use bentpipe_units::{Duration, Time};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use nix::unistd;

use crate::bare_timer::{LastStalls, Seen};
use crate::capture::Tap;
use crate::clock;
use crate::ip;
use crate::lateness::Lateness;

/// Packets read from one device before due packets are looked at again.
const BATCH: usize = 32;
/// Time before a release in which the link polls instead of sleeping: above the wake-up latency of a real-time
/// process on an idle core (30 to 70 us measured).
const SPIN: Duration = Duration::from_micros(80);
/// Time between two such spins. Dense traffic keeps the core awake by itself, and a real-time process that
/// never sleeps is stopped by the kernel for 50 ms in every second (sched_rt_runtime_us).
const SPIN_INTERVAL: Duration = Duration::from_micros(800);

/// Packet buffers made before the start: a page fault in a run makes packets late. Enough for 50 Mbit/s at GEO.
const PREPARED: usize = 4096;

/// The two ends of the link as TUN devices, non-blocking.
#[derive(Debug)]
pub(crate) struct Devices {
    pub(crate) gateway: OwnedFd,
    pub(crate) terminal: OwnedFd,
}

/// Moves packets between the devices at the instants that the link computes.
pub(crate) struct Pump {
    path: Path<Buffer>,
    devices: Devices,
    lateness: Lateness,
    spare: Vec<Buffer>,
    /// Longest packet of the devices, in bytes.
    mtu: usize,
    /// What a tunnel puts before each packet, in bytes; none without one.
    header: u32,
    tap: Option<Tap>,
    /// The instant up to which the link spins, or has spun last.
    spin_until: Time,
}

/// An IP packet in a buffer that is used again.
struct Buffer {
    bytes: Box<[u8]>,
    length: usize,
    /// What a tunnel between the hosts puts before it on the link.
    header: u32,
}

impl Packet for Buffer {
    fn len_bytes(&self) -> u32 {
        self.length as u32 + self.header
    }

    fn dscp(&self) -> u8 {
        ip::dscp(self.as_slice()).get()
    }

    fn ecn(&self) -> Ecn {
        ip::ecn(self.as_slice())
    }

    fn mark_ce(&mut self) {
        ip::mark_ce(&mut self.bytes[..self.length]);
    }
}

impl Pump {
    pub(crate) fn new(spec: &RunSpec, devices: Devices, tap: Option<Tap>) -> Self {
        let path = Path::new(&spec.link, spec.seed, clock::now())
            .noting(spec.link_direction(bentpipe_run::Direction::Down));
        let mtu = usize::try_from(spec.link.mtu_bytes.get()).expect("an MTU fits in memory");
        let header = u32::try_from(spec.tunnel_header().get()).unwrap_or(u32::MAX);
        Self {
            path,
            devices,
            lateness: Lateness::beside(LastStalls::default()),
            spare: (0..PREPARED).map(|_| Buffer::of(mtu, header)).collect(),
            mtu,
            header,
            tap,
            spin_until: Time::ZERO,
        }
    }

    /// Starts counting afresh, beside timers.
    pub(crate) fn mark(&mut self, stalls: LastStalls) {
        self.lateness = Lateness::beside(stalls);
        self.path.mark(clock::now());
    }

    /// The workload is over.
    pub(crate) fn close(&mut self) {
        self.lateness.close();
    }

    /// What was counted since the mark, and what timers saw meanwhile.
    pub(crate) fn report(&mut self, timers: Option<&Seen>) -> LinkReport {
        LinkReport { lateness: Some(self.lateness.report(timers)), ..self.path.report(clock::now()) }
    }

    /// Ends the capture, if there is one.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.tap.map_or(Ok(()), Tap::finish)
    }

    /// Pumps until `orders` is readable.
    pub(crate) fn run(&mut self, orders: BorrowedFd<'_>) -> io::Result<()> {
        loop {
            self.release()?;
            let busy = self.take_in(Direction::Forward)? | self.take_in(Direction::Return)?;
            self.release()?;
            let timeout = if busy { Duration::ZERO } else { self.patience() };
            let mut ready = [
                PollFd::new(self.devices.terminal.as_fd(), PollFlags::POLLIN),
                PollFd::new(self.devices.gateway.as_fd(), PollFlags::POLLIN),
                PollFd::new(orders, PollFlags::POLLIN),
            ];
            match ppoll(&mut ready, Some(timespec(timeout)), None) {
                Ok(_) | Err(Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
            if ready[2].any().unwrap_or(false) {
                return Ok(());
            }
        }
    }

    /// Reads what the host at the sending end has for the link; whether there may be more.
    fn take_in(&mut self, direction: Direction) -> io::Result<bool> {
        for _ in 0..BATCH {
            let mut packet = self.spare.pop().unwrap_or_else(|| Buffer::of(self.mtu, self.header));
            match unistd::read(self.devices.sender(direction), &mut packet.bytes[..]) {
                Ok(length) => packet.length = length,
                Err(error) => {
                    self.spare.push(packet);
                    return if error == Errno::EAGAIN { Ok(false) } else { Err(error.into()) };
                }
            }
            let now = clock::now();
            self.lateness.read(now);
            if let Some(tap) = &mut self.tap {
                tap.sent(direction, now, packet.as_slice())?;
            }
            if let Err((_, packet)) = self.path.enqueue(now, direction, packet) {
                self.spare.push(packet);
            }
        }
        Ok(true)
    }

    /// Hands over every packet that is due.
    fn release(&mut self) -> io::Result<()> {
        while let Some(event) = self.path.poll(clock::now()) {
            if let Event::Delivered { direction, due, packet } = &event {
                self.lateness.released(*due, clock::now());
                match unistd::write(self.devices.receiver(*direction), packet.as_slice()) {
                    Ok(_) => {}
                    // The packet is lost, and the run says so.
                    Err(error) if is_refusal(error) => self.lateness.refused(),
                    Err(error) => return Err(error.into()),
                }
                if let Some(tap) = &mut self.tap {
                    tap.delivered(*direction, *due, packet.as_slice())?;
                }
            }
            self.spare.push(event.into_packet());
        }
        Ok(())
    }

    /// How long to sleep before the next event: up to it, or to the spin before it.
    fn patience(&mut self) -> Duration {
        let due = self.path.next_event().unwrap_or(Time::MAX);
        let left = due.since(clock::now());
        let is_rested = due.since(self.spin_until) >= SPIN_INTERVAL;
        if due == self.spin_until {
            Duration::ZERO
        } else if !is_rested {
            left
        } else if left > SPIN {
            left - SPIN
        } else {
            self.spin_until = due;
            Duration::ZERO
        }
    }
}

impl Devices {
    /// Where packets of a direction enter the link.
    fn sender(&self, direction: Direction) -> &OwnedFd {
        match direction {
            Direction::Forward => &self.gateway,
            Direction::Return => &self.terminal,
        }
    }

    /// Where packets of a direction leave the link.
    fn receiver(&self, direction: Direction) -> &OwnedFd {
        match direction {
            Direction::Forward => &self.terminal,
            Direction::Return => &self.gateway,
        }
    }
}

impl Buffer {
    fn of(capacity: usize, header: u32) -> Self {
        Self { bytes: vec![0; capacity].into(), length: 0, header }
    }

    fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Whether the device did not take this packet and may take the next (`tun_get_user` in `drivers/net/tun.c`).
///
/// It is down (EIO) or out of memory (EAGAIN, ENOBUFS, ENOMEM), or the packet is neither of IPv4 nor of IPv6
/// (EINVAL): any program in the client's or the server's namespace may send such a one by a packet socket.
fn is_refusal(error: Errno) -> bool {
    matches!(error, Errno::EIO | Errno::EAGAIN | Errno::ENOBUFS | Errno::ENOMEM | Errno::EINVAL)
}

/// At most a second: a lost wake-up must not hang the link.
fn timespec(timeout: Duration) -> TimeSpec {
    TimeSpec::from_duration(timeout.min(Duration::from_secs(1)).into())
}
