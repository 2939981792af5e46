"""Synthetic page loads in a browser: records of `synthetic` with paints, and pictures drawn by hand."""

from PIL import Image, ImageDraw

from tests.support.models import changed
from tests.support.synthetic import page_load, write_folder

VERSIONS = {"chromium": "Chromium 156.0.8078.79", "firefox": "Firefox 153.0"}
WINDOW_PX = (640, 360)


def browser_load(*, client="chromium", repetition=0, scale=1.0, **cell):
    """One succeeded load: nothing before the first object, then each when it is complete."""
    entry = page_load(repetition=repetition, scale=scale, **cell)
    record = entry.record
    metrics, objects = record.metrics, sorted(record.objects[1:], key=lambda o: o.last_byte_s)
    frames = [
        {
            "time_s": item.last_byte_s + 0.02,
            "file": f"frames/{shown:03}.jpg",
            "completeness": round(shown / len(objects), 4),
        }
        for shown, item in enumerate(objects, start=1)
    ]
    edges = [0.0, *(frame["time_s"] for frame in frames)]
    missing = [1.0, *(1 - frame["completeness"] for frame in frames)]
    browser = {
        "version": VERSIONS[client],
        "parsed_s": objects[0].request_s,
        "loaded_s": metrics.plt_s + 0.05,
        "paint_fcp_s": metrics.fcp_s + 0.03,
        "paint_lcp_s": metrics.lcp_s + 0.03,
        "speed_index_s": sum(m * (b - a) for m, a, b in zip(missing, edges, edges[1:], strict=False)),
        "frames": frames,
    }
    return type(entry).of(
        changed(record, browser=browser),
        run_id=f"{entry.run_id[:8]}{client:0<8.8}",
        attempt=1,
        factors={**entry.factors, "client": client},
        repetition=repetition,
    )


def write_pictures(folder, entries):
    """Draw the pictures of loads into a folder of results."""
    for entry in entries:
        frames = () if entry.record.browser is None else entry.record.browser.frames
        for frame in frames:
            path = folder / "artifacts" / f"{entry.run_id}-{entry.attempt}" / frame.file
            path.parent.mkdir(parents=True, exist_ok=True)
            picture(frame.completeness).save(path, quality=80)


def picture(completeness):
    """A page of a heading and eight photographs, of which a part has come."""
    image = Image.new("RGB", WINDOW_PX, "white")
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, WINDOW_PX[0], 44), fill="#1F3A5F")
    pen.text((16, 16), "A page of eight photographs", fill="white")
    for place in range(round(8 * completeness)):
        left, top = 16 + place % 4 * 154, 64 + place // 4 * 144
        photograph = Image.linear_gradient("L").resize((142, 130)).rotate(45 * place, fillcolor=128)
        image.paste(photograph.convert("RGB"), (left, top))
        pen.ellipse((left + 30, top + 30, left + 100, top + 100), fill=("#D55E00", "#009E73")[place % 2])
    return image


def browser_folder(folder, entries, **scenario):
    """A folder of results with the pictures of its loads."""
    write_folder(folder, entries, **scenario)
    write_pictures(folder, entries)
    return folder
