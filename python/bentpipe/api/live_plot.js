// Puts an interactive figure in place of the drawn one of a cell; what fails leaves the drawn one.
async ({ name, item, version, packed }) => {
  const found = async (what, find) => {
    for (let tries = 0; tries < 200; tries += 1) {
      const it = find();
      if (it) return it;
      await new Promise((go) => setTimeout(go, 100));
    }
    throw new Error(`${name}: no ${what}`);
  };
  const bokeh = () => window.Bokeh?.[version];
  const unpack = async () => {
    const bytes = Uint8Array.from(atob(packed), (each) => each.charCodeAt(0));
    const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(text).text();
    document.head.append(script);
  };
  // A cell may be shown in two places; its script runs once for each, perhaps before it is in the page.
  const drawn = () =>
    [...document.querySelectorAll(`[data-bentpipe="${name}"]`)].find(
      (each) => !each.dataset.shown && each.getBoundingClientRect().height > 0,
    );
  try {
    if (packed && !bokeh()) await unpack();
    const { embed } = await found("BokehJS", bokeh);
    const image = await found("drawn figure", drawn);
    const target = document.createElement("div");
    const { width, height } = image.getBoundingClientRect();
    target.id = `${name}-${document.querySelectorAll("[data-shown]").length}`;
    Object.assign(target.style, { width: `${width}px`, height: `${Math.max(height, 180)}px` });
    image.dataset.shown = target.id;
    image.after(target);
    try {
      await embed.embed_item(item, target.id);
      image.style.display = "none";
    } catch (error) {
      target.remove();
      throw error;
    }
  } catch (error) {
    console.error(error);
  }
}
