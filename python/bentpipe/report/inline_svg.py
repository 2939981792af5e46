"""Matplotlib's SVG made fit to stand inside an HTML page beside others."""

import re
from html import escape


def inline(svg: str, *, prefix: str, label: str) -> str:
    """The SVG element alone, with ids of its own and a label for screen readers.

    Without XML prologue and metadata; its style sheet, which would reach the whole page, becomes attributes.
    """
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    body = re.sub(r"<style type=\"text/css\">.*?</style>", "", body, flags=re.DOTALL)
    body = re.sub(r'(\bid=")', rf"\g<1>{prefix}-", body)
    body = re.sub(r"(url\(#|href=\"#)", rf"\g<1>{prefix}-", body)
    head, _, rest = body.partition(">")
    head = re.sub(r'\s(?:width|height|version|xmlns(?::\w+)?)="[^"]*"', "", head)
    # The page's parser knows both name spaces; `xlink:href` is `href` in SVG 2.
    rest = rest.replace("xlink:href", "href")
    join = 'stroke-linejoin="round" stroke-linecap="butt"'
    return f'{head} xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(label)}" {join}>{rest}'
