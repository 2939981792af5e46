// Runs before a page's own scripts, in the page; bentpipeSeen() gives what the page's clock saw.
//
// Instants are milliseconds since performance.timeOrigin, the beginning of the navigation. Null: it did not happen.
() => {
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
  Object.defineProperty(globalThis, "bentpipeSeen", {
    value: () => {
      const [navigation] = performance.getEntriesByType("navigation");
      return JSON.stringify({
        time_origin_ms: performance.timeOrigin,
        visible: document.visibilityState === "visible",
        parsed_ms: navigation.domContentLoadedEventStart || null,
        loaded_ms: navigation.loadEventStart || null,
        ...paints,
      });
    },
  });
}
