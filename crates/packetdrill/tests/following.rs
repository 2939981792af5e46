//! Scripts against the simulated endpoint: what passes, what fails and how that is told, what is not understood.

use bentpipe_packetdrill::{Code, CodeError, Difference, Files, Settings, Simulated, Verdict, parse, run};

pub(crate) const ACCEPTED: &str = "
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 65535 <mss 1000,sackOK,nop,nop,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <...>
+.1 < . 1:1(0) ack 1 win 511
+0 accept(3, ..., ...) = 4
";

pub(crate) fn judged(text: &str, mut evaluate: impl FnMut(&Code<'_>) -> Result<(), CodeError>) -> Verdict {
    let script = parse(text).unwrap();
    let settings = Settings::of(&script, &[]).unwrap();
    let mut backend = Simulated::new(&settings, Files::NONE).unwrap();
    run(&script, &settings, &mut backend, &mut evaluate).verdict
}

pub(crate) fn verdict(text: &str) -> Verdict {
    judged(&format!("{ACCEPTED}{text}"), |_| Ok(()))
}

#[test]
fn what_no_line_expects_is_told_as_lines_of_a_script_each_segment_for_itself() {
    let text = format!("{ACCEPTED}+.1 write(4, ..., 1500) = 1500\n+.1 close(3) = 0");
    let script = parse(&text).unwrap();
    let settings = Settings::of(&script, &[]).unwrap();
    let mut backend = Simulated::new(&settings, Files::NONE).unwrap();
    let judged = run(&script, &settings, &mut backend, &mut |_| Ok(()));
    let lines: Vec<String> = judged.unexpected.iter().map(ToString::to_string).collect();
    assert_eq!(judged.verdict, Verdict::Passed);
    assert_eq!(
        lines,
        ["0.200000 > . 1:1001(1000) ack 1 win 502", "0.200000 > P. 1001:1501(500) ack 1 win 502"]
    );
}

fn failure(text: &str) -> (u32, String, String) {
    match verdict(text) {
        Verdict::Failed(difference) => (difference.line, difference.expected, difference.found),
        other => panic!("{other:?}"),
    }
}

fn refused(text: &str) -> String {
    match verdict(text) {
        Verdict::Skipped(need) => need.what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_script_that_the_endpoint_follows_passes() {
    let text = "+0 write(4, ..., 2500) = 2500
                +0 > P. 1:2501(2500) ack 1
                +.1 < . 1:1(0) ack 2501 win 511
                +0 < . 1:501(500) ack 2501 win 511
                +0 > . 2501:2501(0) ack 501
                +0 read(4, ..., 1000) = 500
                +0 read(4, ..., 1000) = -1 EAGAIN (Resource temporarily unavailable)";
    let nonblocking = format!("+0 fcntl(4, F_SETFL, O_RDWR|O_NONBLOCK) = 0\n{text}");
    assert_eq!(verdict(&nonblocking), Verdict::Passed);
}

#[test]
fn segments_that_leave_at_once_are_joined_before_they_are_compared() {
    for expected in
        ["+0 > P. 1:6001(6000) ack 1", "+0 > P. 1:2001(2000) ack 1\n+0 > P. 2001:6001(4000) ack 1"]
    {
        assert_eq!(
            verdict(&format!("+0 write(4, ..., 6000) = 6000\n{expected}")),
            Verdict::Passed,
            "{expected}"
        );
    }
}

#[test]
fn the_first_difference_is_told_with_line_expected_and_found() {
    let (line, expected, found) = failure("+0 write(4, ..., 1000) = 1000\n+0 > P. 1:1001(1000) ack 2");
    assert_eq!((line, expected.as_str()), (10, "P. 1:1001(1000) ack 2"));
    assert!(found.starts_with("P. 1:1001(1000) ack 1 win"), "{found}");
    let (_, expected, found) = failure("+0 read(4, ..., 1000) = 5");
    assert_eq!((expected.as_str(), found.as_str()), ("read to return", "that it blocks"));
    assert_eq!(failure("+0 > . 1:1(0) ack 1").2, "no segment");
    let (_, expected, found) = failure("+0 close(5) = 0");
    assert_eq!((expected.as_str(), found.as_str()), ("close returns 0", "close returns -1 EBADF"));
}

#[test]
fn a_call_may_block_until_its_time() {
    let blocked =
        "+0...0.05 read(4, ..., 1000) = 500\n+.05 < . 1:501(500) ack 1 win 511\n+0 > . 1:1(0) ack 501";
    assert_eq!(verdict(blocked), Verdict::Passed);
    let late = blocked.replace("+.05 <", "+.09 <");
    let Verdict::Failed(difference) = verdict(&late) else { panic!("it passed") };
    assert!(difference.is_timing, "{difference}");
}

#[test]
fn a_write_that_waits_for_room_returns_when_there_is_some() {
    // 20000 asked for is 40000 of memory (socket(7)): less than 90000 bytes.
    let text = "+0 setsockopt(4, SOL_SOCKET, SO_SNDBUF, [20000], 4) = 0
                +0...0.2 write(4, ..., 45000) = 45000
                +0 > P. 1:10001(10000) ack 1
                +.1 < . 1:1(0) ack 10001 win 511
                +0 > P. 10001:30001(20000) ack 1
                +.1 < . 1:1(0) ack 30001 win 511";
    let verdict = verdict(text);
    assert_eq!(verdict, Verdict::Passed);
}

#[test]
fn numbers_count_from_the_syns_whatever_these_are() {
    let text =
        ACCEPTED.replace("< S 0:0(0)", "< S 123:123(0)").replace("> S. 0:0(0) ack 1", "> S. 9:9(0) ack 124");
    let text = format!("{text}+0 < . 1:1001(1000) ack 1 win 511\n+0 > . 1:1(0) ack 1001");
    assert_eq!(judged(&text, |_| Ok(())), Verdict::Passed);
    let Verdict::Failed(difference) = judged(&text.replace("ack 124", "ack 1"), |_| Ok(())) else {
        panic!("it passed")
    };
    assert!(difference.found.starts_with("S. 9:9(0) ack 124 win"), "{difference}");
}

#[test]
fn python_sees_tcp_info_by_the_names_of_linux() {
    let mut seen = None;
    let text = format!("{ACCEPTED}+0 %{{ x }}%");
    judged(&text, |code| {
        seen = Some((code.text.to_owned(), code.info.0["tcpi_snd_cwnd"], code.info.0["tcpi_state"]));
        Ok(())
    });
    // RFC 6928; TCP_ESTABLISHED is 1 (net/tcp_states.h).
    assert_eq!(seen, Some(("x".to_owned(), 10, 1)));
}

#[test]
fn what_python_says_decides() {
    let text = format!("{ACCEPTED}+0 %{{ assert False }}%");
    let failed = judged(&text, |_| Err(CodeError::Raised("AssertionError".to_owned())));
    assert!(matches!(&failed, Verdict::Failed(it) if it.found == "AssertionError"), "{failed:?}");
    let skipped = judged(&text, |_| Err(CodeError::Unknown("tcpi_x".to_owned())));
    assert!(matches!(&skipped, Verdict::Skipped(it) if it.what == "tcpi_x"), "{skipped:?}");
}

#[test]
fn what_the_endpoint_does_not_have_is_refused_by_name() {
    assert_eq!(refused("+0 `sysctl -q net.ipv4.tcp_recovery=0`"), "tcp_recovery=0");
    // No value of theirs, or more segments than the kernel's integer has room for.
    for setting in ["tcp_early_retrans=5", "tcp_frto=on", "tcp_reordering=18446744073709551615"] {
        assert_eq!(refused(&format!("+0 `sysctl -q net.ipv4.{setting}`")), setting);
    }
    let hystart = "/sys/module/tcp_cubic/parameters/hystart_detect";
    assert_eq!(
        refused(&format!("+0 `echo 1 > {hystart}`")),
        ".sys.module.tcp_cubic.parameters.hystart_detect=1"
    );
    let as_it_is = format!("+0 `sysctl -q net.mptcp.enabled=1\necho 3 > {hystart}`");
    assert_eq!(verdict(&as_it_is), Verdict::Passed);
    assert_eq!(refused("+0 `make coffee`"), "the command `make coffee`");
    assert_eq!(refused("+0 setsockopt(4, SOL_SOCKET, SO_RCVLOWAT, [9], 4) = 0"), "SO_RCVLOWAT");
    assert_eq!(refused("+0 setsockopt(4, SOL_IP, IP_RECVERR, [1], 4) = 0"), "IP_RECVERR");
    let stats = "+0 setsockopt(4, SOL_SOCKET, SO_TIMESTAMPING, [SOF_TIMESTAMPING_OPT_STATS], 4) = 0";
    assert_eq!(refused(stats), "SO_TIMESTAMPING with 0x1000");
    assert_eq!(refused("+0 open(\"/no/such\", O_RDONLY) = 5"), "the file /no/such");
    assert_eq!(refused("+0 open(\"/etc/hosts\", O_RDWR) = 5"), "files to be written");
    assert_eq!(refused("+0 < U. 1:1(0) ack 1 win 511 urg 1"), "urgent data");
    assert_eq!(refused("+0 > icmp unreachable [1:1(0)]"), "ICMP messages of the endpoint");
    assert_eq!(refused("+0 < icmp gone fishing"), "the ICMP message gone fishing");
    assert_eq!(refused("+0 > udp (1000)"), "packets of udp");
    assert_eq!(refused("+0 send(4, ..., 10, MSG_OOB) = 10"), "MSG_OOB");
    assert_eq!(refused("+0 setsockopt(4, SOL_TCP, TCP_MD5SIG, {tcpm_keylen=4}, 4) = 0"), "TCP_MD5SIG");
    assert_eq!(refused("+0 < . 1:70001(70000) ack 1"), "segments that no IP packet holds");
    assert_eq!(refused("+0 read(4, ..., 99999999999) = 1"), "buffers of more than 1073741824 bytes");
    assert_eq!(refused("+0 vmsplice(4, 5) = 0"), "the system call vmsplice");
}

#[test]
fn fast_open_of_all_servers_takes_the_data_of_a_syn() {
    // TFO_SERVER_ENABLE 2, TFO_SERVER_WO_SOCKOPT1 0x400, TFO_SERVER_COOKIE_NOT_REQD 0x200 (tcp_try_fastopen).
    let with = |bits: &str, syn: &str| {
        let accepted = ACCEPTED.replace("S 0:0(0) win 65535 <", syn);
        judged(&format!("`sysctl -q net.ipv4.tcp_fastopen={bits}`{accepted}"), |_| Ok(()))
    };
    let is_taken =
        |verdict| matches!(verdict, Verdict::Failed(Difference { found, .. }) if found.contains("ack 501"));
    let with_wrong_cookie = "S 0:500(500) win 65535 <FO 0102030405060708,nop,nop,";
    assert_eq!(with("0x402", with_wrong_cookie), Verdict::Passed);
    assert_eq!(with("3", with_wrong_cookie), Verdict::Passed);
    let with_data = "S 0:500(500) win 65535 <";
    assert!(is_taken(with("0x602", with_data)));
    assert_eq!(with("0x402", with_data), Verdict::Passed);
}

#[test]
fn a_segment_that_is_several_is_as_long_as_each_of_them() {
    // tcp_measure_rcv_mss takes gso_size for its length, where it is larger than what it took until then: 536; and none
    // for longer than the endpoint announces.
    let full_segment = |head: &str| {
        let mut found = None;
        let text = "+0 < . 1:3001(3000) ack 1 win 511\n+0 > . 1:1(0) ack 3001\n+0 %{ look }%";
        let verdict = judged(&format!("{head}{ACCEPTED}{text}"), |code| {
            found = code.info.0.get("tcpi_rcv_mss").copied();
            Ok(())
        });
        assert_eq!(verdict, Verdict::Passed);
        found
    };
    assert_eq!((full_segment("--mss=1000"), full_segment("")), (Some(1000), Some(1460)));
}

#[test]
fn a_message_without_control_messages_is_its_bytes() {
    let text = "+0 < . 1:501(500) ack 1 win 511
                +0 > . 1:1(0) ack 501
                +0 recvmsg(4, {msg_name(...)=..., msg_iov(1)=[{..., 1000}], msg_flags=0, msg_control=[]}, 0) = 500";
    assert_eq!(verdict(text), Verdict::Passed);
    let (_, expected, found) = failure(&text.replace("msg_flags=0", "msg_flags=MSG_ERRQUEUE"));
    assert_eq!((expected.as_str(), found.as_str()), ("recvmsg writes msg_flags=0x2000 ", "msg_flags=0x0 "));
}

#[test]
fn a_socket_is_bound_to_an_address_of_its_host_alone() {
    let bind = |address: &str| {
        let text = format!(
            "0 socket(AF_INET, SOCK_STREAM, IPPROTO_TCP) = 3
             +0 bind(3, {{sa_family=AF_INET, sin_port=htons(8080), sin_addr={address}}}, ...) = "
        );
        move |result: &str| judged(&format!("{text}{result}"), |_| Ok(()))
    };
    // bind(2), EADDRNOTAVAIL: not local. 192.0.2.1 is the peer's.
    assert_eq!(bind("inet_addr(\"192.0.2.1\")")("-1 EADDRNOTAVAIL (Cannot assign)"), Verdict::Passed);
    assert_eq!(bind("inet_addr(\"192.168.0.1\")")("0"), Verdict::Passed);
    assert_eq!(bind("INADDR_ANY")("0"), Verdict::Passed);
    let loopback = bind("inet_addr(\"127.0.0.1\")")("0");
    assert!(matches!(loopback, Verdict::Skipped(skip) if skip.what == "a socket at 127.0.0.1"));
}

#[test]
fn addresses_follow_the_version_of_ip() {
    let name = |call: &str, host: &str, port: u16| {
        format!(
            "+0 {call}(4, {{sa_family=AF_INET, sin_port=htons({port}), sin_addr=inet_addr(\"{host}\")}}, [16]) = 0\n"
        )
    };
    let own = name("getsockname", "192.168.0.1", 8080);
    let peers = name("getpeername", "192.0.2.1", 40_000);
    assert_eq!(verdict(&format!("{own}{peers}")), Verdict::Passed);
    let mapped = |text: &str| {
        let head = "--ip_version=ipv4-mapped-ipv6";
        judged(&format!("{head}{}{text}", ACCEPTED.replace("socket(...", "socket(AF_INET6")), |_| Ok(()))
    };
    assert_eq!(mapped(&format!("{own}{peers}")), Verdict::Passed);
    // RFC 4291 section 2.5.5.2: the same in the words of IPv6.
    let written = own.replace("inet_addr(\"192.168.0.1\")", "inet_pton(AF_INET6, \"::ffff:192.168.0.1\")");
    assert_eq!(mapped(&written), Verdict::Passed);
    let (_, expected, found) = failure(&name("getsockname", "192.168.0.2", 8080));
    assert_eq!(
        (expected.as_str(), found.as_str()),
        ("getsockname writes 192.168.0.2:8080", "192.168.0.1:8080")
    );
    assert_eq!(
        refused(&own.replace("inet_addr(\"192.168.0.1\")", "inet_pton(AF_INET6, \"fd3d::1\")")),
        "the address fd3d::1 with --ip_version=ipv4"
    );
    let listening = "+0 getpeername(3, ..., [16]) = -1 ENOTCONN (Not connected)
                     +0 getsockname(3, {sa_family=AF_INET, sin_port=htons(8080), sin_addr=INADDR_ANY}, [16]) = 0";
    assert_eq!(verdict(listening), Verdict::Passed);
}

#[test]
fn the_end_is_a_byte_that_is_left_to_read_in_every_state_behind_the_peers_fin() {
    // tcp_fin sets SOCK_DONE, for which tcp_inq_hint says 1.
    let end = "+0 recvmsg(4, {msg_name(...)=..., msg_iov(1)=[{..., 10}], msg_flags=0,
                   msg_control=[{cmsg_level=SOL_TCP, cmsg_type=TCP_CM_INQ, cmsg_data=1}]}, 0) = 0";
    let asks = "+0 setsockopt(4, SOL_TCP, TCP_INQ, [1], 4) = 0";
    let close_wait = "+0 < F. 1:1(0) ack 1 win 511\n* > . 1:1(0) ack 2";
    assert_eq!(verdict(&format!("{asks}\n{close_wait}\n{end}")), Verdict::Passed);
    let time_wait = "+0 shutdown(4, SHUT_WR) = 0
                     +0 > F. 1:1(0) ack 1
                     +.1 < . 1:1(0) ack 2 win 511
                     +.1 < F. 1:1(0) ack 2 win 511
                     +0 > . 2:2(0) ack 2";
    assert_eq!(verdict(&format!("{asks}\n{time_wait}\n{end}")), Verdict::Passed);
    let closed = "+0 shutdown(4, SHUT_WR) = 0
                  * > F. 1:1(0) ack 2
                  +.1 < . 2:2(0) ack 2 win 511";
    let closed = format!("{asks}\n{close_wait}\n{closed}\n{end}");
    assert_eq!(verdict(&closed), Verdict::Passed);
}

#[test]
fn messages_out_of_bounds_are_refused_by_name_and_line() {
    // RFC 791: a packet has 65535 bytes; RFC 1191 section 4: an MTU has 16 bits.
    let frag_needed =
        |mtu: u32| refused(&format!("+0 < icmp unreachable frag_needed mtu {mtu} [1:1001(1000)]"));
    assert_eq!(frag_needed(1_499), "a path whose MTU shrinks");
    assert_eq!(frag_needed(65_536), "an ICMP message with an MTU of 65536 bytes");
    assert_eq!(
        refused("+0 < icmp unreachable [1:4000000001(4000000000)]"),
        "ICMP messages about segments that no IP packet holds"
    );
    let skipped = verdict("+0 < icmp unreachable frag_needed mtu 65536 [1:1001(1000)]");
    assert!(matches!(skipped, Verdict::Skipped(skip) if skip.line == 9));
}

#[test]
fn control_messages_that_have_no_words_here_are_refused_by_name() {
    let sent = |data: &str| {
        format!(
            "+0 sendmsg(4, {{msg_name(...)=..., msg_iov(1)=[{{..., 10}}], msg_flags=0, msg_control=[{data}]}}, 0) = 10"
        )
    };
    let send = |data: &str| refused(&sent(data));
    // sock_cmsg_send passes over all levels but SOL_SOCKET.
    assert_eq!(verdict(&sent("{cmsg_level=SOL_IP, cmsg_type=IP_TOS, cmsg_data=16}")), Verdict::Passed);
    assert_eq!(
        send("{cmsg_level=SOL_SOCKET, cmsg_type=SO_TXTIME, cmsg_data=5}"),
        "sendmsg with the control message {cmsg_level=1, cmsg_type=61, cmsg_data=5}"
    );
    assert_eq!(
        send("{cmsg_level=SOL_IP, cmsg_type=IP_TOS, cmsg_data=...}"),
        "sendmsg with the control message {cmsg_level=0, cmsg_type=1, cmsg_data=...}"
    );
    let receive = |data: &str| {
        let message = format!("{{cmsg_level=SOL_SOCKET, cmsg_type=SO_TIMESTAMPING, cmsg_data={data}}}");
        format!(
            "+0 recvmsg(4, {{msg_name(...)=..., msg_iov(1)=[{{..., 10}}], msg_flags=0, msg_control=[{message}]}}, 0) = -1 EAGAIN (none)"
        )
    };
    let nonblocking = "+0 fcntl(4, F_SETFL, O_RDWR|O_NONBLOCK) = 0";
    assert_eq!(verdict(&format!("{nonblocking}\n{}", receive("{scm_sec=0, scm_nsec=1}"))), Verdict::Passed);
    assert_eq!(refused(&receive("{pages=3}")), "control messages such as {pages=3}");
}

#[test]
fn segments_of_a_connection_are_left_out_when_the_peer_has_opened_another() {
    // The first connection's FIN is retransmitted (RFC 6298) before the second one's leaves.
    let text = "+0 close(4) = 0
                +0 > F. 1:1(0) ack 1
                +0 < S 500:500(0) win 65535 <mss 1000>
                +0 > S. 0:0(0) ack 501 <...>
                +0 < . 1:1(0) ack 1 win 65535
                +0 accept(3, ..., ...) = 5
                +1 close(5) = 0
                +0 > F. 1:1(0) ack 1";
    assert_eq!(verdict(text), Verdict::Passed);
}

#[test]
fn mapped_addresses_are_those_of_ipv4() {
    let mapped = ACCEPTED.replace("socket(...", "socket(AF_INET6");
    assert_eq!(judged(&format!("--ip_version=ipv4-mapped-ipv6{mapped}"), |_| Ok(())), Verdict::Passed);
    assert!(matches!(judged(&mapped, |_| Ok(())), Verdict::Skipped(skip) if skip.what == "sockets of IPv6"));
}

#[test]
fn over_ipv6_segments_are_twenty_bytes_shorter() {
    // RFC 8200 section 8.3: 1500 less 40 and 20.
    let text = ACCEPTED.replace("ack 1 <...>", "ack 1 <mss 1440,nop,nop,sackOK,nop,wscale 7>");
    assert_eq!(judged(&format!("--ip_version=ipv6{text}"), |_| Ok(())), Verdict::Passed);
}

#[test]
fn a_wait_for_events_ends_with_its_time() {
    let wait = "poll([{fd=4, events=POLLIN, revents=REVENTS}], 1, 50) = RESULT";
    let nothing = wait.replace("REVENTS", "0").replace("RESULT", "0");
    assert_eq!(verdict(&format!("+0...0.05 {nothing}")), Verdict::Passed);
    assert_eq!(
        verdict(&format!("+0 {nothing}\n+0 write(4, ..., 10) = 10\n+0 > P. 1:11(10) ack 1")),
        Verdict::Passed
    );
    let data = wait.replace("REVENTS", "POLLIN").replace("RESULT", "1");
    let text = format!("+0...0.02 {data}\n+.02 < . 1:501(500) ack 1 win 511\n+0 > . 1:1(0) ack 501");
    assert_eq!(verdict(&text), Verdict::Passed);
}
