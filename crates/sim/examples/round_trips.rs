//! Prints docs/round-trips.md: `cargo run -p bentpipe-sim --example round_trips > docs/round-trips.md`.

#[path = "../tests/round_trips/closed_form.rs"]
mod closed_form;
#[path = "../tests/round_trips/page.rs"]
mod page;

fn main() {
    print!("{}", page::page());
}
