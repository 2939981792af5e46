//! What a script may have, after the syntax of packetdrill's documentation.

use bentpipe_packetdrill::{
    Action, Base, CallLine, EcnPattern, Expression, Flags, IcmpMessage, IcmpPattern, IpPattern,
    OptionPattern, OptionsPattern, PacketPattern, TcpOption, When, parse,
};
use bentpipe_units::Duration;

fn action(line: &str) -> Action {
    let script = parse(line).unwrap();
    assert_eq!(script.events.len(), 1, "{line}");
    script.events[0].action.clone()
}

fn packet(line: &str) -> PacketPattern {
    match action(line) {
        Action::Inject(pattern) | Action::Expect(pattern) => pattern,
        other => panic!("{other:?}"),
    }
}

fn call(line: &str) -> CallLine {
    match action(line) {
        Action::Call(call) => call,
        other => panic!("{other:?}"),
    }
}

fn exactly(options: Vec<TcpOption>) -> OptionsPattern {
    OptionsPattern::Exactly(options.into_iter().map(OptionPattern::from).collect())
}

fn when(line: &str) -> When {
    parse(line).unwrap().events[0].when
}

fn between(base: Base, from_ms: u64, to_ms: u64) -> When {
    When::Between { base, from: Duration::from_millis(from_ms), to: Duration::from_millis(to_ms) }
}

fn error(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn times_are_absolute_relative_ranges_or_any() {
    assert_eq!(when("1.5 < . 1:1(0) ack 1"), between(Base::Start, 1500, 1500));
    assert_eq!(when("+.1 < . 1:1(0) ack 1"), between(Base::Previous, 100, 100));
    assert_eq!(when("+.3~+.310 > . 1:1(0) ack 1"), between(Base::Previous, 300, 310));
    assert_eq!(when("0.3~0.4 > . 1:1(0) ack 1"), between(Base::Start, 300, 400));
    assert_eq!(when("* > . 1:1(0) ack 1"), When::Any);
    assert_eq!(when("`true`"), When::Next);
}

#[test]
fn a_call_that_blocks_has_two_times() {
    assert_eq!(when("+0...0.3 accept(3, ..., ...) = 4"), between(Base::Previous, 0, 0));
    assert_eq!(call("+0...0.3 accept(3, ..., ...) = 4").until, Some(Duration::from_millis(300)));
    assert_eq!(call("0.100...0.200 connect(3, ..., ...) = 0").until, Some(Duration::from_millis(200)));
}

#[test]
fn a_segment_has_flags_numbers_and_options() {
    let syn = packet("0 < SEW 0:0(0) win 65535 <mss 1460,sackOK,TS val 1 ecr 0,nop,wscale 7>");
    assert_eq!(syn.flags, Flags::SYN.with(Flags::ECE).with(Flags::CWR));
    assert_eq!(syn.window, Some(65_535));
    assert_eq!(
        syn.options,
        exactly(vec![
            TcpOption::Mss(1460),
            TcpOption::SackPermitted,
            TcpOption::Timestamps { value: 1, echo: 0 },
            TcpOption::Nop,
            TcpOption::WindowScale(7),
        ])
    );
    let data = packet("+0 > [ect0] P. 1:1001(1000) ack 7");
    assert_eq!((data.seq, data.length, data.ack, data.window), (1, 1000, Some(7), None));
    assert_eq!(data.ip, IpPattern { ecn: Some(EcnPattern::Ect0), ..IpPattern::default() });
}

#[test]
fn selective_acknowledgements_have_several_blocks() {
    let sack = packet("+0 < . 1:1(0) ack 1 win 257 <sack 1:1001 3001:4001,nop,nop>");
    let blocks = TcpOption::Sack(vec![(1, 1001), (3001, 4001)]);
    assert_eq!(sack.options, exactly(vec![blocks, TcpOption::Nop, TcpOption::Nop]));
    assert_eq!(packet("+0 > . 1:1(0) ack 1 <...>").options, OptionsPattern::Any);
}

#[test]
fn fast_open_has_a_cookie_or_none() {
    let of = |line: &str| packet(line).options;
    assert_eq!(of("0 > S 0:0(0) <FO>"), exactly(vec![TcpOption::FastOpen(vec![])]));
    assert_eq!(
        of("0 > S 0:0(0) <FO abcd1234>"),
        exactly(vec![TcpOption::FastOpen(vec![0xab, 0xcd, 0x12, 0x34])])
    );
    let named = OptionPattern::Cookie { name: "TFO_COOKIE".to_owned(), is_experimental: true };
    assert_eq!(of("0 > S 0:0(0) <FOEXP TFO_COOKIE>"), OptionsPattern::Exactly(vec![named]));
}

#[test]
fn a_message_has_a_type_a_code_an_mtu_and_a_segment_that_it_is_about() {
    let message = IcmpMessage::named("unreachable", "frag_needed").unwrap();
    let expected = Action::InjectIcmp(IcmpPattern { message, mtu: 1200, about: (1, 1460) });
    let script = "+0 < icmp unreachable frag_needed mtu 1200 [1:1461(1460)]\n+0 > . 1:1(0) ack 1";
    let events = parse(script).unwrap().events;
    assert_eq!((events.len(), &events[0].action, events[1].line), (2, &expected, 2));
    assert_eq!(action("+0 < [1:1461(1460)] icmp unreachable frag_needed mtu 1200"), expected);
    let message = IcmpMessage::named("packet_too_big", "").unwrap();
    assert_eq!(
        action("+0 < icmp packet_too_big mtu 1280 [1:1441(1440)] // of ICMPv6"),
        Action::InjectIcmp(IcmpPattern { message, mtu: 1280, about: (1, 1440) })
    );
    let message = IcmpMessage::named("time_exceeded", "").unwrap();
    assert_eq!(
        action("+0 < icmp time_exceeded"),
        Action::InjectIcmp(IcmpPattern { message, mtu: 0, about: (0, 0) })
    );
}

#[test]
fn brackets_before_the_flags_have_fields_of_the_ip_header() {
    let ip = |line: &str| packet(line).ip;
    let expected = IpPattern { ecn: Some(EcnPattern::Ect), traffic_class: None, hop_limit: Some(64) };
    assert_eq!(ip("0 > [ect01, ttl 64] . 1:1(0) ack 1"), expected);
    assert_eq!(ip("0 < [tos 0x2e] . 1:1(0) ack 1").traffic_class, Some(0x2e));
    assert_eq!(
        action("0 < [flowlabel 0x1] . 1:1(0) ack 1"),
        Action::Foreign("the IP header's flowlabel 0x1".to_owned())
    );
}

#[test]
fn texts_may_have_quotation_marks_and_go_on() {
    let call = call("0 write(4, \"a \\\"b\\\"\"..., 100) = 100");
    assert_eq!(call.arguments[1], Expression::Text("a \"b\"".to_owned()));
    assert_eq!(action("`echo \\`date\\``"), Action::Shell("echo `date`".to_owned()));
}

#[test]
fn what_is_no_tcp_is_named_and_passed_over() {
    let script = parse("+0 > udp (1000)\n+0 > . 1:1(0) ack 1").unwrap();
    assert_eq!(script.events[0].action, Action::Foreign("packets of udp".to_owned()));
    assert_eq!(script.events[1].line, 2);
    assert_eq!(
        action("+0 > S 0:0(0) <mp_capable v1 flags[flag_h] nokey>"),
        Action::Foreign("the TCP option mp_capable".to_owned())
    );
}

#[test]
fn calls_have_numbers_names_lists_and_records() {
    let call = call(
        "+0 sendmsg(4, {msg_name(...)=..., msg_iov(2)=[{..., 500}, {..., 0x10}], msg_flags=0}, MSG_DONTWAIT|MSG_EOR) = -1 EAGAIN (Resource temporarily unavailable)",
    );
    assert_eq!((call.name.as_str(), call.errno.as_deref()), ("sendmsg", Some("EAGAIN")));
    assert_eq!(call.result, Some(Expression::Number(-1)));
    let buffers = call.arguments[1].field("msg_iov").unwrap();
    assert_eq!(buffers.to_string(), "[{..., 500}, {..., 16}]");
    assert_eq!(call.arguments[2].number(&Default::default()), Some(0x40 | 0x80));
}

#[test]
fn a_call_may_go_on_over_lines_and_have_a_remark() {
    let flags = call("+0 fcntl(3, F_GETFL) =\n 0x2 (flags O_RDWR)");
    assert_eq!(flags.result, Some(Expression::Number(2)));
}

#[test]
fn commands_and_python_stand_as_they_are() {
    assert_eq!(
        action("`./defaults.sh\nsysctl -q a=b`"),
        Action::Shell("./defaults.sh\nsysctl -q a=b".to_owned())
    );
    assert_eq!(action("+0 %{ assert a == 10, a }%"), Action::Code("assert a == 10, a".to_owned()));
}

#[test]
fn comments_are_of_three_kinds() {
    let script = parse("// one\n# two\n/* three\n*/ 0 close(3) = 0 // four\n").unwrap();
    assert_eq!((script.events.len(), script.events[0].line), (1, 4));
}

#[test]
fn options_stand_at_the_head() {
    let script = parse("--tolerance_usecs=10000\n--mtu 1400\t// comment\n0 close(3) = 0").unwrap();
    let options: Vec<_> =
        script.options.iter().map(|it| (it.line, it.name.as_str(), it.value.as_str())).collect();
    assert_eq!(options, [(1, "tolerance_usecs", "10000"), (2, "mtu", "1400")]);
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    assert_eq!(
        error("0 close(3) = 0\n+0 > P. 1:1001(99) ack 1"),
        "line 2: expected 100, which is 1 and 99 bytes, found \"1001(99) ack 1\""
    );
    assert_eq!(
        error("close(3) = 0"),
        "line 1: expected a time, a command between backticks, or Python between %{ and }%, found \"close(3) = 0\""
    );
    assert_eq!(error("0 `sysctl"), "line 1: expected \"`\" somewhere behind this, found \"sysctl\"");
    assert_eq!(error("0 < S 0:0(0) win 65536"), "line 1: expected a window from 0 to 65535, found \"65536\"");
    assert_eq!(error("// Nothing"), "line 1: expected an event, found the end of the script");
    assert_eq!(error("0 close(3)"), "line 1: expected \"=\", found the end of the script");
}
