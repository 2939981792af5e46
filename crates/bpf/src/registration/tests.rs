//! Registrations as before Linux 6.4, which this module can make on any kernel, and what the verifier takes.

// It waits for the real kernel.
#![allow(clippy::disallowed_methods)]

#[path = "../../tests/holder/mod.rs"]
mod holder;

use std::process;

use bentpipe_units::Rate;
use holder::{Holder, held_name, hold, is_available, pause};

use super::*;
use crate::kernel::{Lifetime, Sample};

/// A name that nothing else uses, and the running kernel as one before 6.4; none, said aloud, where nothing can
/// be loaded.
fn attempt(test: char) -> Option<(String, Kernel)> {
    if let Some(obstacle) = obstacle() {
        eprintln!("SKIPPED: {obstacle}");
        return None;
    }
    Some((format!("bpu{test}{}", process::id()), before_6_4()))
}

fn before_6_4() -> Kernel {
    Kernel { lifetime: Lifetime::Lasting, ..Kernel::running().unwrap() }
}

/// Registers as a process does that is killed right afterwards.
fn leave_behind(control: &Control, name: &str, kernel: &Kernel) -> Hold {
    register(&mut load(control, name, kernel).unwrap()).unwrap()
}

fn remove_left(hold: &Hold, name: &str) {
    let Hold::Table(table) = hold else { panic!("a lasting registration") };
    assert!(remove(table));
    assert!(!is_available(name));
}

fn leftover(control: &Control, name: &str, kernel: &Kernel) -> Option<Registered> {
    Registered::leftover(control, name, &kernel.layout).unwrap()
}

#[test]
fn what_a_killed_process_left_as_before_linux_6_4_is_taken_back_by_the_next() {
    let Some((name, kernel)) = attempt('l') else { return };
    drop(leave_behind(&Control::HYBLA, &name, &kernel));
    assert!(is_available(&name));
    // The same on a kernel that has links and on one that has not.
    drop(Registration::with_name(&Control::HYBLA, &name, pause).unwrap());
    assert!(!is_available(&name));
    drop(leave_behind(&Control::HYBLA, &name, &kernel));
    drop(Registration::on(&kernel, &Control::HYBLA, &name, pause).unwrap());
    assert!(!is_available(&name));
}

#[test]
fn what_was_left_with_other_parameters_is_taken_back_too() {
    let Some((name, kernel)) = attempt('v') else { return };
    let other = Control::Hybla { rtt0: Default::default(), most_exponent: 1, most_segments: 2 };
    drop(leave_behind(&other, &name, &kernel));
    drop(Registration::on(&kernel, &Control::HYBLA, &name, pause).unwrap());
    assert!(!is_available(&name));
}

#[test]
fn a_leftover_is_found_and_removed_by_itself() {
    let Some((name, kernel)) = attempt('f') else { return };
    assert!(leftover(&Control::VIVACE, &name, &kernel).is_none());
    drop(leave_behind(&Control::VIVACE, &name, &kernel));
    assert!(leftover(&Control::VIVACE, &name, &kernel).unwrap().remove());
    assert!(!is_available(&name));
    assert!(leftover(&Control::VIVACE, &name, &kernel).is_none());
}

#[test]
fn before_linux_6_4_registrations_share_a_name_too_and_the_last_removes_it() {
    let Some((name, kernel)) = attempt('s') else { return };
    let first = Registration::on(&kernel, &Control::HYBLA, &name, pause).unwrap();
    let second = Registration::on(&kernel, &Control::HYBLA, &name, pause).unwrap();
    assert!(leftover(&Control::HYBLA, &name, &kernel).is_none());
    drop(first);
    assert!(is_available(&name) && leftover(&Control::HYBLA, &name, &kernel).is_none());
    drop(second);
    assert!(!is_available(&name));
}

#[test]
fn before_linux_6_4_a_registration_stays_when_its_maker_is_killed_while_another_process_has_a_marker() {
    let Some((name, kernel)) = attempt('k') else { return };
    let maker = holder(&name);
    let shared = Registration::on(&kernel, &Control::HYBLA, &name, pause).unwrap();
    maker.kill();
    assert!(is_available(&name) && leftover(&Control::HYBLA, &name, &kernel).is_none());
    drop(shared);
    assert!(!is_available(&name));
}

#[test]
fn before_linux_6_4_a_killed_process_leaves_its_name_and_no_marker() {
    let Some((name, kernel)) = attempt('m') else { return };
    let maker = holder(&name);
    assert!(leftover(&Control::HYBLA, &name, &kernel).is_none());
    maker.kill();
    assert!(is_available(&name));
    assert!(leftover(&Control::HYBLA, &name, &kernel).unwrap().remove());
    assert!(!is_available(&name));
}

#[test]
fn another_program_under_the_name_is_no_leftover_and_is_left_alone() {
    let Some((name, kernel)) = attempt('o') else { return };
    let foreign = leave_behind(&Control::VIVACE, &name, &kernel);
    assert!(leftover(&Control::HYBLA, &name, &kernel).is_none());
    let refused = Registration::on(&kernel, &Control::HYBLA, &name, pause);
    assert!(matches!(refused, Err(Error::Taken(taken)) if taken == name));
    assert!(is_available(&name));
    remove_left(&foreign, &name);
}

#[test]
fn other_parameters_in_use_are_left_alone() {
    let Some((name, kernel)) = attempt('p') else { return };
    let other = Control::Vivace { start_rate: Rate::from_bps(1_000_000) };
    let registration = Registration::on(&kernel, &other, &name, pause).unwrap();
    let refused = Registration::on(&kernel, &Control::VIVACE, &name, pause);
    assert!(matches!(refused, Err(Error::Taken(_))));
    assert!(is_available(&name));
    drop(registration);
    assert!(!is_available(&name));
}

#[test]
fn a_longer_name_that_ends_in_ours_is_not_touched() {
    let Some((name, kernel)) = attempt('e') else { return };
    let longer = format!("x{name}");
    let other = leave_behind(&Control::HYBLA, &longer, &kernel);
    assert!(leftover(&Control::HYBLA, &name, &kernel).is_none());
    drop(Registration::on(&kernel, &Control::HYBLA, &name, pause).unwrap());
    assert!(is_available(&longer) && !is_available(&name));
    remove_left(&other, &longer);
}

#[test]
fn a_table_that_sockets_still_use_does_not_keep_its_name_from_the_next() {
    let Some((name, kernel)) = attempt('t') else { return };
    let first = leave_behind(&Control::HYBLA, &name, &kernel);
    remove_left(&first, &name);
    // The table is there as long as `first`, taken back.
    let second = Registration::on(&kernel, &Control::HYBLA, &name, pause).unwrap();
    assert!(is_available(&name));
    drop(second);
    assert!(!is_available(&name));
}

#[test]
fn the_verifier_sees_only_the_place_of_the_rate_sample_that_the_kernel_has() {
    let Some((name, _)) = attempt('r') else { return };
    let kernel = Kernel::running().unwrap();
    let elsewhere = match kernel.sample {
        Sample::SecondArgument => Sample::FourthArgument,
        Sample::FourthArgument => Sample::SecondArgument,
    };
    assert!(load(&Control::VIVACE, &name, &Kernel { sample: elsewhere, ..kernel.clone() }).is_err());
    assert!(load(&Control::VIVACE, &name, &kernel).is_ok());
}

/// A process that has registered Hybla by a name as before Linux 6.4.
fn holder(name: &str) -> Holder {
    Holder::start("registration::tests::holds_a_name_until_it_is_killed", name)
}

#[test]
#[ignore = "the process that other tests kill"]
fn holds_a_name_until_it_is_killed() {
    let _registration = Registration::on(&before_6_4(), &Control::HYBLA, &held_name(), pause).unwrap();
    hold();
}
