//! An origin that runs out of descriptors serves again when it has some.
//!
//! Alone in its file, because the limit holds for the whole process.
#![allow(clippy::disallowed_methods)] // the IO boundary of clippy.toml lies in this crate

mod common;

use bentpipe_run::{Http, Status};
use common::{PORTS, Site, available_cc, load, page, page_load, record, run, spec};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::net::TcpStream;

#[test]
fn an_origin_out_of_descriptors_serves_again_when_it_has_some() {
    let spec = spec(available_cc()[0], page_load(Http::H1, page(5, 5_000)));
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    run(async {
        let site = Site::start(&spec);
        setrlimit(Resource::RLIMIT_NOFILE, 64.min(hard), hard).unwrap();
        let mut open = Vec::new();
        let refused = loop {
            match TcpStream::connect((site.address, PORTS.http)).await {
                Ok(stream) => open.push(stream),
                Err(error) => break error,
            }
        };
        assert_eq!(refused.raw_os_error(), Some(nix::libc::EMFILE), "{refused}");
        // The origin meets the same limit with the connections that it has not accepted yet.
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        drop(open);
        setrlimit(Resource::RLIMIT_NOFILE, soft, hard).unwrap();
        let report = load(site.client(&spec)).await;
        let record = record(&spec, report, Default::default());
        assert_eq!((record.status, record.reasons), (Status::Succeeded, Vec::new()));
    });
}
