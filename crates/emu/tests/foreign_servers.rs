//! Our loader against servers of other makers, over the loopback interface: nginx (Debian's) and Caddy.
//!
//! Skipped, and said so, where a server is not installed: `make setup-dev` installs nginx, `make setup-caddy` Caddy.
#![allow(clippy::disallowed_methods)] // processes and files of the servers

use std::env;
use std::fs;
use std::net::{IpAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{PORTS, address, client, load, page, page_load, run, say, spec};
use bentpipe_http::tls::Identity;
use bentpipe_run::{Algorithm, ClientReport, Http, PageSpec};
use bentpipe_web::HOST;
use bentpipe_web::page::{NoFiles, Site as Content};
use pem::Pem;

/// A server that serves a page at an address of its own, until it is dropped.
struct Server {
    process: Child,
    folder: PathBuf,
    address: IpAddr,
    authority_der: Vec<u8>,
}

impl Server {
    /// Writes the page and the keys into a folder and starts `program` with the configuration made of it.
    fn start(program: &Path, page: &PageSpec, configure: fn(&Path, IpAddr) -> Vec<String>) -> Self {
        // Its key is in the form that OpenSSL reads too: without the public one (RFC 8410 section 7).
        let identity = Identity::from_seed(&[HOST], 1).unwrap();
        let address = address();
        let folder = env::temp_dir().join(format!("bentpipe-{address}"));
        fs::create_dir_all(folder.join("www")).unwrap();
        for (place, resource) in Content::of(page, &NoFiles).unwrap().iter() {
            let name = if place.path == "/" { "index.html" } else { place.path.trim_start_matches('/') };
            fs::write(folder.join("www").join(name), &resource.body).unwrap();
        }
        let certificate = Pem::new("CERTIFICATE", identity.certificates_der.concat());
        let key = Pem::new("PRIVATE KEY", identity.key_der);
        fs::write(folder.join("certificate.pem"), pem::encode(&certificate)).unwrap();
        fs::write(folder.join("key.pem"), pem::encode(&key)).unwrap();
        let process = Command::new(program)
            .args(configure(&folder, address))
            .env("HOME", &folder)
            .stdout(Stdio::null())
            .stderr(fs::File::create(folder.join("errors")).unwrap())
            .spawn()
            .unwrap();
        let server = Self { process, folder, address, authority_der: identity.authority_der };
        server.await_ready();
        server
    }

    fn await_ready(&self) {
        let patience = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect((self.address, PORTS.https)).is_err() {
            assert!(Instant::now() < patience, "{}", self.errors());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn errors(&self) -> String {
        fs::read_to_string(self.folder.join("errors")).unwrap_or_default()
    }

    /// Loads the page that the server serves.
    fn load(&self, http: Http, page: &PageSpec) -> ClientReport {
        let spec = spec(Algorithm::Reno, page_load(http, page.clone()));
        run(load(client(&spec, self.address, self.authority_der.clone())))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// In the foreground, one process, as whoever runs it.
fn nginx(folder: &Path, address: IpAddr) -> Vec<String> {
    let at = folder.display();
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("{kind}_temp_path {at}/{kind};"))
        .concat();
    let text = format!(
        "daemon off; master_process off; pid {at}/pid; error_log {at}/errors;
         events {{}}
         http {{
             access_log off; {temporary}
             types {{ text/html html; image/jpeg jpg; }}
             server {{
                 listen {address}:{http}; listen {address}:{https} ssl http2;
                 ssl_certificate {at}/certificate.pem; ssl_certificate_key {at}/key.pem; ssl_protocols TLSv1.3;
                 root {at}/www; index index.html;
             }}
         }}",
        http = PORTS.http,
        https = PORTS.https,
    );
    let file = folder.join("nginx.conf");
    fs::write(&file, text).unwrap();
    ["-p", "{at}", "-c", "{file}"]
        .map(|word| word.replace("{at}", &at.to_string()).replace("{file}", &file.display().to_string()))
        .to_vec()
}

fn caddy(folder: &Path, address: IpAddr) -> Vec<String> {
    let at = folder.display();
    let text = format!(
        "{{
             admin off
             auto_https off
             persist_config off
             servers {{
                 protocols h1 h2 h3
             }}
         }}
         http://:{http} {{
             bind {address}
             root * {at}/www
             file_server
         }}
         https://{HOST}:{https} {{
             bind {address}
             tls {at}/certificate.pem {at}/key.pem
             root * {at}/www
             file_server
         }}",
        http = PORTS.http,
        https = PORTS.https,
    );
    let file = folder.join("Caddyfile");
    fs::write(&file, text).unwrap();
    ["run", "--adapter", "caddyfile", "--config"]
        .map(str::to_owned)
        .into_iter()
        .chain([file.display().to_string()])
        .collect()
}

/// The first of these programs that there is.
fn installed(places: &[&str]) -> Option<PathBuf> {
    let found = places.iter().map(PathBuf::from).find(|place| place.exists());
    if found.is_none() {
        say(format_args!("SKIPPED: none of {places:?} is there; see the top of this file"));
    }
    found
}

fn loads_everything(server: &Server, versions: &[Http], page: &PageSpec) {
    for http in versions {
        let report = server.load(*http, page);
        assert_eq!(report.faults, [], "{http:?}: {}", server.errors());
        // Length and digest of every body are compared with the page's own.
        assert_eq!(report.doubts, [], "{http:?}");
        assert_eq!(report.objects.len(), 1 + page.objects.len(), "{http:?}");
        assert!(report.connections.iter().all(|connection| connection.protocol == http.alpn()), "{http:?}");
    }
}

#[test]
fn nginx_serves_our_loader_by_http1_and_http2() {
    let Some(program) = installed(&["/usr/sbin/nginx", "/usr/local/sbin/nginx"]) else { return };
    let page = page(20, 30_000);
    let server = Server::start(&program, &page, nginx);
    loads_everything(&server, &[Http::H1, Http::H1s, Http::H2], &page);
}

#[test]
fn caddy_serves_our_loader_by_http1_http2_and_http3() {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/../../build/caddy/caddy");
    let Some(program) = installed(&[own, "/usr/bin/caddy"]) else { return };
    let page = page(20, 30_000);
    let server = Server::start(&program, &page, caddy);
    loads_everything(&server, &[Http::H1, Http::H1s, Http::H2, Http::H3], &page);
}
