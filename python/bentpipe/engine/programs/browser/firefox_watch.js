// Runs in Firefox's own realm, beside all pages; tell() is given a line of JSON for each request that starts and for
// each that has ended.
//
// What a page itself may know (W3C Resource Timing) lacks the connection, and most of what comes from other hosts.
// Instants are microseconds since 1970, zero where it did not happen; lengths of header fields are those of
// `name: value` CRLF (RFC 9112, section 5).
(tell) => {
  const STARTS = "http-on-opening-request";
  const ENDS = "http-on-stop-request";
  const fieldBytes = (visit) => {
    let bytes = 0;
    visit({ visitHeader: (name, value) => { bytes += name.length + value.length + 4; } });
    return bytes;
  };
  // What a request that failed has not got throws.
  const orElse = (otherwise, look) => {
    try { return look(); } catch { return otherwise; }
  };
  const watcher = {
    observe(subject, topic) {
      const channel = subject.QueryInterface(Ci.nsIHttpChannel);
      const url = channel.URI.specIgnoringRef;
      if (topic === STARTS) {
        tell(JSON.stringify({ has_ended: false, url }));
        return;
      }
      const inner = subject.QueryInterface(Ci.nsIHttpChannelInternal);
      const timed = subject.QueryInterface(Ci.nsITimedChannel);
      tell(JSON.stringify({
        has_ended: true,
        url,
        error: channel.status,
        status: orElse(0, () => channel.responseStatus),
        protocol: orElse("", () => channel.protocolVersion),
        client_port: orElse(0, () => inner.localPort),
        server_address: orElse("", () => inner.remoteAddress),
        // Servers of runs do not compress: what came is the body. What a page makes of it only its own process knows.
        body_bytes: orElse(0, () => channel.encodedBodySize),
        request_header_bytes: orElse(0, () => fieldBytes((visitor) => channel.visitRequestHeaders(visitor))),
        response_header_bytes: orElse(0, () => fieldBytes((visitor) => channel.visitOriginalResponseHeaders(visitor))),
        opened_us: timed.asyncOpenTime,
        connect_started_us: timed.connectStartTime,
        tcp_connected_us: timed.tcpConnectEndTime,
        connect_ended_us: timed.connectEndTime,
        requested_us: timed.requestStartTime,
        first_byte_us: timed.responseStartTime,
        last_byte_us: timed.responseEndTime,
      }));
    },
  };
  for (const topic of [STARTS, ENDS]) Services.obs.addObserver(watcher, topic);
}
