//! Whether the running kernel takes the programs, and what is left of them. Needs root.

// It watches the real kernel.
#![allow(clippy::disallowed_methods)]

mod holder;

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::thread;
use std::time::Instant;

use bentpipe_bpf::{Control, Error, Obstacle, Registration, leftovers, obstacle, remove_leftovers};
use bentpipe_units::Rate;
use holder::{Holder, held_name, hold, is_available, pause};
use socket2::{Domain, Socket, Type};

/// Says so and returns true where the machine cannot load programs.
fn skipped() -> bool {
    let obstacle = obstacle();
    if let Some(obstacle) = obstacle {
        eprintln!("SKIPPED: {obstacle}");
    }
    obstacle.is_some()
}

/// A name that no run uses, one for each test of each process.
fn name(test: char) -> String {
    format!("bpt{test}{}", std::process::id())
}

#[test]
fn the_verifier_takes_every_control_and_the_name_goes_with_the_registration() {
    if skipped() {
        return;
    }
    for (control, name) in
        [(Control::HYBLA, name('h')), (Control::VIVACE, name('v')), (Control::CUBIC_SEARCH, name('x'))]
    {
        let registration = Registration::with_name(&control, &name, pause).unwrap();
        assert!(is_available(&name));
        drop(registration);
        assert!(!is_available(&name));
    }
}

#[test]
fn registrations_of_a_name_share_it_until_the_last_is_dropped() {
    if skipped() {
        return;
    }
    let name = name('o');
    let first = Registration::with_name(&Control::HYBLA, &name, pause).unwrap();
    let second = Registration::with_name(&Control::HYBLA, &name, pause).unwrap();
    drop(first);
    assert!(is_available(&name));
    let third = Registration::with_name(&Control::HYBLA, &name, pause).unwrap();
    drop(second);
    assert!(is_available(&name));
    drop(third);
    assert!(!is_available(&name));
    drop(Registration::with_name(&Control::HYBLA, &name, pause).unwrap());
}

#[test]
fn connections_of_one_registration_go_on_and_new_ones_start_when_the_one_that_made_it_is_dropped() {
    if skipped() {
        return;
    }
    let name = name('g');
    let first = Registration::with_name(&Control::VIVACE, &name, pause).unwrap();
    let second = Registration::with_name(&Control::VIVACE, &name, pause).unwrap();
    let before = connection(&name);
    drop(first);
    for (mut sender, mut receiver) in [before, connection(&name)] {
        sender.write_all(&[7; 10_000]).unwrap();
        receiver.read_exact(&mut [0; 10_000]).unwrap();
        assert!(sender.tcp_congestion().unwrap().starts_with(name.as_bytes()));
    }
    drop(second);
    assert!(!is_available(&name));
}

#[test]
fn a_registration_stays_when_the_process_that_made_it_is_killed_while_another_shares_it() {
    if skipped() {
        return;
    }
    let name = name('z');
    let maker = holder(&name);
    let shared = Registration::with_name(&Control::HYBLA, &name, pause).unwrap();
    let other = holder(&name);
    maker.kill();
    assert!(is_available(&name));
    drop(shared);
    assert!(is_available(&name));
    other.kill();
    assert!(becomes_unavailable(&name));
}

#[test]
fn processes_that_register_a_name_at_the_same_time_all_have_it() {
    if skipped() {
        return;
    }
    let name = name('s');
    let starters: Vec<_> = (0..6)
        .map(|_| {
            let name = name.clone();
            thread::spawn(move || holder(&name))
        })
        .collect();
    let holders: Vec<_> = starters.into_iter().map(|starter| starter.join().unwrap()).collect();
    for holder in holders {
        assert!(is_available(&name));
        holder.kill();
    }
    assert!(becomes_unavailable(&name));
}

#[test]
fn another_program_under_the_name_is_not_shared_and_stays() {
    if skipped() {
        return;
    }
    let name = name('f');
    let foreign = Registration::with_name(&Control::VIVACE, &name, pause).unwrap();
    assert!(
        matches!(Registration::with_name(&Control::HYBLA, &name, pause), Err(Error::Taken(taken)) if taken == name)
    );
    assert!(is_available(&name));
    let (sender, _receiver) = connection(&name);
    assert!(pacing_rate(&sender) > 0, "Vivace paces");
    drop(foreign);
    assert!(!is_available(&name));
}

#[test]
fn other_parameters_under_the_name_are_not_shared() {
    if skipped() {
        return;
    }
    let name = name('w');
    let slow = Control::Vivace { start_rate: Rate::from_bps(8_000_000) };
    let _registration = Registration::with_name(&slow, &name, pause).unwrap();
    assert!(matches!(Registration::with_name(&Control::VIVACE, &name, pause), Err(Error::Taken(_))));
    drop(Registration::with_name(&slow, &name, pause).unwrap());
    assert!(is_available(&name));
}

#[test]
fn no_leftover_is_left_when_leftovers_are_removed() {
    remove_leftovers(pause);
    assert!(leftovers().is_empty());
}

#[test]
fn a_name_of_the_kernel_itself_is_taken() {
    if skipped() {
        return;
    }
    assert!(matches!(Registration::with_name(&Control::HYBLA, "reno", pause), Err(Error::Taken(_))));
}

#[test]
fn without_root_the_obstacle_is_named() {
    if obstacle() != Some(Obstacle::NotRoot) {
        return eprintln!("SKIPPED: root, or nothing to load");
    }
    assert!(matches!(Registration::new(&Control::HYBLA, pause), Err(Error::Obstacle(Obstacle::NotRoot))));
}

#[test]
fn parameters_reach_the_program() {
    if skipped() {
        return;
    }
    for mbit in [8, 80] {
        let name = name(if mbit == 8 { 'p' } else { 'q' });
        let control = Control::Vivace { start_rate: Rate::from_bps(mbit * 1_000_000) };
        let _registration = Registration::with_name(&control, &name, pause).unwrap();
        let (sender, _receiver) = connection(&name);
        assert_eq!(pacing_rate(&sender), mbit * 1_000_000 / 8);
    }
}

#[test]
fn a_connection_carries_data_under_every_control_and_keeps_it_when_the_name_goes() {
    const BYTES: usize = 2_000_000;
    if skipped() {
        return;
    }
    for (control, name) in
        [(Control::HYBLA, name('c')), (Control::VIVACE, name('d')), (Control::CUBIC_SEARCH, name('r'))]
    {
        let registration = Registration::with_name(&control, &name, pause).unwrap();
        let (mut sender, mut receiver) = connection(&name);
        let reader = thread::spawn(move || {
            let mut received = Vec::new();
            receiver.read_to_end(&mut received).unwrap();
            received.len()
        });
        sender.write_all(&[7; BYTES / 2]).unwrap();
        drop(registration);
        assert!(!is_available(&name));
        sender.write_all(&[7; BYTES / 2]).unwrap();
        assert!(sender.tcp_congestion().unwrap().starts_with(name.as_bytes()));
        sender.shutdown(Shutdown::Write).unwrap();
        assert_eq!(reader.join().unwrap(), BYTES);
    }
}

#[test]
fn a_killed_process_leaves_no_name() {
    if skipped() {
        return;
    }
    let name = name('k');
    let holder = holder(&name);
    assert!(is_available(&name));
    holder.kill();
    assert!(becomes_unavailable(&name));
    drop(Registration::with_name(&Control::HYBLA, &name, pause).unwrap());
}

/// A process that has registered Hybla by a name.
fn holder(name: &str) -> Holder {
    Holder::start("holds_a_name_until_it_is_killed", name)
}

fn becomes_unavailable(name: &str) -> bool {
    let until = Instant::now() + std::time::Duration::from_secs(2);
    while is_available(name) && Instant::now() < until {
        thread::yield_now();
    }
    !is_available(name)
}

#[test]
#[ignore = "the process that other tests kill"]
fn holds_a_name_until_it_is_killed() {
    let _registration = Registration::with_name(&Control::HYBLA, &held_name(), pause).unwrap();
    hold();
}

/// A connection over the loopback interface whose first end sends under the control `name`.
fn connection(name: &str) -> (Socket, TcpStream) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let sender = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    sender.set_tcp_congestion(name.as_bytes()).unwrap();
    sender.connect(&listener.local_addr().unwrap().into()).unwrap();
    (sender, listener.accept().unwrap().0)
}

/// `tcpi_pacing_rate` in bytes per second: 64 bits, 104 bytes into `struct tcp_info`.
fn pacing_rate(socket: &Socket) -> u64 {
    let mut info = [0_u8; 112];
    let mut length = info.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes to `info`.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &mut length,
        )
    };
    assert_eq!((result, length), (0, 112));
    u64::from_ne_bytes(info[104..].try_into().unwrap())
}
