// Runs before a page's own scripts, in the page; bentpipeSeen() gives what the page's clock saw.
//
// Instants are milliseconds since performance.timeOrigin, the beginning of the navigation. Null: it did not happen.
() => {
  // The default is 250 entries (W3C Resource Timing, section 4.3): larger pages would lose the rest.
  performance.setResourceTimingBufferSize(100000);
  // A page that is hidden is not painted, and one that a user has touched has no further largest paint.
  const paints = { first_contentful_paint_ms: null, largest_contentful_paint_ms: null };
  new PerformanceObserver((list) => {
    const first = list.getEntriesByName("first-contentful-paint")[0];
    if (first) paints.first_contentful_paint_ms = first.startTime;
  }).observe({ type: "paint", buffered: true });
  new PerformanceObserver((list) => {
    const latest = list.getEntries().at(-1);
    // The render time of an image of another origin needs its Timing-Allow-Origin; the time of its load does not.
    if (latest) paints.largest_contentful_paint_ms = latest.renderTime || latest.loadTime;
  }).observe({ type: "largest-contentful-paint", buffered: true });
  const entry = (one) => ({
    url: one.name,
    protocol: one.nextHopProtocol,
    transfer_bytes: one.transferSize,
    encoded_body_bytes: one.encodedBodySize,
    decoded_body_bytes: one.decodedBodySize,
    status: one.responseStatus,
    started_ms: one.startTime,
    requested_ms: one.requestStart,
    first_byte_ms: one.responseStart,
    last_byte_ms: one.responseEnd,
    connect_started_ms: one.connectStart,
    connect_ended_ms: one.connectEnd,
    tls_started_ms: one.secureConnectionStart,
  });
  Object.defineProperty(globalThis, "bentpipeSeen", {
    value: () => {
      const [navigation] = performance.getEntriesByType("navigation");
      return JSON.stringify({
        url: location.href,
        time_origin_ms: performance.timeOrigin,
        now_ms: performance.now(),
        visible: document.visibilityState === "visible",
        parsed_ms: navigation.domContentLoadedEventStart || null,
        loaded_ms: navigation.loadEventStart || null,
        ...paints,
        document: entry(navigation),
        resources: performance.getEntriesByType("resource").map(entry),
      });
    },
  });
}
