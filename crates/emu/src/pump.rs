//! Packets from one TUN device to the other when the link says so: reading, sleeping, spinning, writing.

use std::os::fd::{AsFd, BorrowedFd};
use std::{io, thread};

use bentpipe_link::{Direction, DirectionSpec, Event, LinkSpec};
use bentpipe_run::{LinkReport, RunSpec};
use bentpipe_units::{Duration, Time};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;

use crate::bare_timer::{LastStalls, Seen};
use crate::budget::{Budget, REST};
use crate::capture::Tap;
use crate::clock;
use crate::lateness::Lateness;
use crate::offload;
use crate::tun::{Buffer, Device, Pool, Taken, Train};
use crate::unused_path::UnusedPath;

/// Packets read from one device before due packets are looked at again.
const BATCH: usize = 32;
/// Time before a release in which the link polls instead of sleeping: above the wake-up latency of a real-time
/// process on an idle core (30 to 70 us measured).
const SPIN: Duration = Duration::from_micros(80);
/// Time between two such spins. Dense traffic keeps the core awake by itself, and a real-time process that
/// never sleeps is stopped by the kernel for 50 ms in every second (sched_rt_runtime_us).
const SPIN_INTERVAL: Duration = Duration::from_micros(800);

/// The longest sleep: a lost wake-up must not hang the link.
const MOST_ASLEEP: Duration = Duration::from_secs(1);

/// Packets released before those that wait for others to go with them are written: some 100 us of work.
const RELEASED: usize = 64;

/// Packet buffers made before the start, at least: a page fault in a run makes packets late.
const PREPARED: usize = 4096;
/// And at most, in bytes: they are locked in memory.
const PREPARED_BYTES: u64 = 256_000_000;

/// The two ends of the link as TUN devices, non-blocking.
#[derive(Debug)]
pub(crate) struct Devices {
    pub(crate) gateway: Device,
    pub(crate) terminal: Device,
}

/// Moves packets between the devices at the instants that the link computes.
pub(crate) struct Pump {
    path: UnusedPath<Buffer>,
    devices: Devices,
    lateness: Lateness,
    pool: Pool,
    /// Longest packet of the devices, in bytes.
    mtu: usize,
    /// What is about to be handed over, by direction.
    forward: Train,
    return_: Train,
    budget: Budget,
    tap: Option<Tap>,
    /// How long it sleeps at least where traffic is dense, so that packets are due together.
    pause: Duration,
    /// The instant up to which the link spins, or has spun last.
    spin_until: Time,
}

impl Pump {
    pub(crate) fn new(spec: &RunSpec, devices: Devices, tap: Option<Tap>) -> Self {
        let path = UnusedPath::new(spec, clock::now());
        let mtu = usize::try_from(spec.link.mtu_bytes.get()).expect("an MTU fits in memory");
        let tunnel = u32::try_from(spec.tunnel_header().get()).unwrap_or(u32::MAX);
        let train = |direction| match devices.have_offload() {
            true => Train::new(offload::most_merged(&spec.link, direction)),
            false => Train::new(1),
        };
        let (forward, return_) = (train(Direction::Forward), train(Direction::Return));
        let pause = if forward.is_long() || return_.is_long() { offload::SPAN } else { Duration::ZERO };
        Self {
            path,
            devices,
            lateness: Lateness::beside(LastStalls::default()),
            pool: Pool::new(prepared(&spec.link), mtu, tunnel),
            mtu,
            forward,
            return_,
            pause,
            budget: Budget::new(clock::now(), clock::of_this_thread()),
            tap,
            spin_until: Time::ZERO,
        }
    }

    /// Starts counting afresh, beside timers; returns when the measurement begins.
    pub(crate) fn mark(&mut self, stalls: LastStalls) -> Time {
        self.lateness = Lateness::beside(stalls);
        self.path.mark(clock::now())
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
            if !busy {
                self.lateness.caught_up();
            }
            self.rest();
            let timeout = if busy { Duration::ZERO } else { self.patience().min(MOST_ASLEEP) };
            let mut ready = [
                PollFd::new(self.devices.terminal.as_fd(), PollFlags::POLLIN),
                PollFd::new(self.devices.gateway.as_fd(), PollFlags::POLLIN),
                PollFd::new(orders, PollFlags::POLLIN),
            ];
            let wanted = clock::now().saturating_add(timeout);
            match ppoll(&mut ready, Some(TimeSpec::from_duration(timeout.into())), None) {
                Ok(_) | Err(Errno::EINTR) => self.lateness.woke(wanted, clock::now()),
                Err(error) => return Err(error.into()),
            }
            if ready[2].any().unwrap_or(false) {
                return Ok(());
            }
        }
    }

    /// Reads what the host at the sending end has for the link; whether there may be more.
    fn take_in(&mut self, direction: Direction) -> io::Result<bool> {
        let Self { path, devices, lateness, pool, tap, mtu, .. } = self;
        let mut taken = 0;
        while taken < BATCH {
            let read = devices.sender(direction).read(pool, *mtu, |pool, mut packet| {
                let now = clock::now();
                lateness.read(now);
                if let Some(tap) = tap.as_mut() {
                    packet.complete();
                    tap.sent(direction, now, packet.as_slice())?;
                }
                if let Err((_, packet)) = path.enqueue(now, direction, packet) {
                    pool.give(packet);
                }
                Ok(())
            })?;
            match read {
                Taken::Nothing => return Ok(false),
                Taken::Packets(count) => taken += count,
                Taken::Garbage => {
                    lateness.refused();
                    taken += 1;
                }
            }
        }
        Ok(true)
    }

    /// Hands over every packet that is due.
    fn release(&mut self) -> io::Result<()> {
        let mut released = 0;
        while let Some(event) = self.path.poll(clock::now()) {
            match event {
                Event::Delivered { direction, due, mut packet } => {
                    if let Some(tap) = &mut self.tap {
                        packet.complete();
                        tap.delivered(direction, due, packet.as_slice())?;
                    }
                    self.hand_over(direction, due, packet)?;
                }
                lost => self.pool.give(lost.into_packet()),
            }
            released += 1;
            if released % RELEASED == 0 {
                self.flush_all()?;
                self.rest();
            }
        }
        self.flush_all()
    }

    /// Sleeps before the kernel makes it.
    fn rest(&mut self) {
        let now = clock::now();
        if self.budget.is_used_up(now, clock::of_this_thread) {
            thread::sleep(REST.into());
            self.lateness.woke(now.saturating_add(REST), clock::now());
        }
    }

    /// Writes a packet, or keeps it for those that may follow.
    fn hand_over(&mut self, direction: Direction, due: Time, packet: Buffer) -> io::Result<()> {
        if let Err((due, packet)) = self.train(direction).push(due, packet) {
            self.flush(direction)?;
            // An empty train takes any packet.
            let _ = self.train(direction).push(due, packet);
        }
        if self.train(direction).is_full() { self.flush(direction) } else { Ok(()) }
    }

    fn flush_all(&mut self) -> io::Result<()> {
        self.flush(Direction::Forward)?;
        self.flush(Direction::Return)
    }

    /// Writes what was kept.
    fn flush(&mut self, direction: Direction) -> io::Result<()> {
        let Self { devices, lateness, pool, forward, return_, .. } = self;
        let train = match direction {
            Direction::Forward => forward,
            Direction::Return => return_,
        };
        if train.packets().is_empty() {
            return Ok(());
        }
        let now = clock::now();
        train.packets().iter().for_each(|(due, _)| lateness.released(*due, now));
        let is_taken = devices.receiver(direction).write(train)?;
        for packet in train.drain() {
            if !is_taken {
                lateness.refused();
            }
            pool.give(packet);
        }
        Ok(())
    }

    fn train(&mut self, direction: Direction) -> &mut Train {
        match direction {
            Direction::Forward => &mut self.forward,
            Direction::Return => &mut self.return_,
        }
    }

    /// How long to sleep before the next event: up to it, or to the spin before it.
    fn patience(&mut self) -> Duration {
        let due = self.path.next_event().unwrap_or(Time::MAX);
        let left = due.since(clock::now());
        let is_rested = due.since(self.spin_until) >= SPIN_INTERVAL;
        if due == self.spin_until {
            Duration::ZERO
        } else if !is_rested {
            left.max(self.pause)
        } else if left > SPIN {
            left - SPIN
        } else {
            self.spin_until = due;
            Duration::ZERO
        }
    }
}

impl Devices {
    /// Whether super-segments may be written.
    fn have_offload(&self) -> bool {
        self.gateway.has_offload() && self.terminal.has_offload()
    }

    /// Where packets of a direction enter the link.
    fn sender(&mut self, direction: Direction) -> &mut Device {
        match direction {
            Direction::Forward => &mut self.gateway,
            Direction::Return => &mut self.terminal,
        }
    }

    /// Where packets of a direction leave the link.
    fn receiver(&self, direction: Direction) -> &Device {
        match direction {
            Direction::Forward => &self.terminal,
            Direction::Return => &self.gateway,
        }
    }
}

/// How many buffers both directions need where packets of full length are on their way and as many as two propagation
/// delays bring, one bandwidth-delay product, wait.
fn prepared(link: &LinkSpec) -> usize {
    let mtu = link.mtu_bytes.get().max(1);
    let held = |of: &DirectionSpec| of.capacity.nominal_bps().volume_in(of.delay_ns * 3).get();
    let bytes = held(&link.forward).saturating_add(held(&link.return_)).min(PREPARED_BYTES);
    usize::try_from(bytes / mtu).unwrap_or(usize::MAX).max(PREPARED)
}
