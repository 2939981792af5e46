//! No text makes the parser panic.

use bentpipe_packetdrill::parse;

const SCRIPT: &str = "--mtu=1500
`sysctl -q a=b` // remark
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 setsockopt(3, SOL_SOCKET, SO_LINGER, {onoff=1, linger=0}, 8) = 0
+.1~+.2 < [ect0] SP. 1:1001(1000) ack 1 win 257 urg 2 <mss 1,sack 1:2 3:4,TS val 1 ecr 2,FO ab,md5 cd,eol>
*  > icmp unreachable
+0...1 read(4, ..., 5) = -1 EAGAIN (again)
%{ a }%
";

#[test]
fn a_script_that_is_cut_off_anywhere_is_read_or_refused() {
    for length in 0..SCRIPT.len() {
        let _ = parse(&SCRIPT[..length]);
    }
}

#[test]
fn brackets_without_an_end_are_refused() {
    let text = format!("0 poll({}", "[".repeat(100_000));
    assert!(parse(&text).unwrap_err().expected.contains("fewer brackets"));
}

#[test]
fn a_script_with_any_other_character_is_read_or_refused() {
    let characters: Vec<char> = SCRIPT.chars().collect();
    for at in 0..characters.len() {
        for other in ['(', ')', '<', '>', '.', '9', '~', '`', '"', '-', '\n', '\u{2603}', 'E'] {
            let changed: String = characters
                .iter()
                .enumerate()
                .map(|(place, own)| if place == at { other } else { *own })
                .collect();
            let _ = parse(&changed);
        }
    }
}
