//! What the origin pushes, to a client that asks for the document at another host's address.

use std::net::SocketAddr;

use bentpipe_http::tls::Identity;
use bentpipe_net::Net;
use bentpipe_net::testing::MemoryNet;
use bentpipe_run::{Http, ObjectSpec, Workload};
use bentpipe_units::Bytes;
use bentpipe_web::{HOST, Hosts};
use http::{Request, StatusCode};

use crate::common::{page_load, start_origin};

#[test]
fn what_is_promised_of_the_page_s_own_host_is_answered_by_it_at_any_address() {
    MemoryNet::run(|net| async move {
        let (mut spec, _) = page_load(Http::H2c);
        let Workload::PageLoad(load) = &mut spec.workload else { panic!("a page load") };
        load.push_percent = Some(100);
        let other = ObjectSpec::new("/other.jpg", Bytes::new(1_000));
        load.page.objects.push(ObjectSpec { host: Some("cdn.example".to_owned()), ..other });
        let identity = Identity::from_seed(Hosts::of(&spec).names(), 1).unwrap();
        let _origin = start_origin(&net, &spec, &identity);

        let stream = net.open_at(SocketAddr::from(([198, 18, 1, 1], 80))).await;
        let (mut sender, connection) = h2::client::handshake(stream).await.unwrap();
        net.spawn(async move { connection.await.unwrap() });
        let document = Request::get(format!("http://{HOST}/")).body(()).unwrap();
        let (mut response, _) = sender.send_request(document, true).unwrap();
        let promise = response.push_promises().push_promise().await.unwrap().unwrap();
        let (promised, answer) = promise.into_parts();
        assert_eq!(promised.uri().path(), "/object.jpg");
        assert_eq!(answer.await.unwrap().status(), StatusCode::OK);
    });
}
