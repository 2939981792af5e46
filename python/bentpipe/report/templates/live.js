// Puts an interactive figure over each drawn one as it comes into view; what fails leaves the drawn one.
(() => {
  const show = async (place) => {
    const drawn = place.querySelector("svg");
    const item = JSON.parse(document.getElementById(place.dataset.live).textContent);
    const target = document.createElement("div");
    target.className = "live";
    target.id = `${place.dataset.live}-shown`;
    target.style.height = `${Math.max(drawn.getBoundingClientRect().height, 180)}px`;
    place.append(target);
    place.classList.add("is-live");
    try {
      await Bokeh.embed.embed_item(item, target.id);
    } catch (error) {
      target.remove();
      place.classList.remove("is-live");
      console.error(error);
    }
  };
  const coming = new IntersectionObserver(
    (entries) => {
      for (const entry of entries.filter((each) => each.isIntersecting)) {
        coming.unobserve(entry.target);
        show(entry.target);
      }
    },
    { rootMargin: "300px" },
  );
  for (const place of document.querySelectorAll("[data-live]")) coming.observe(place);
})();
