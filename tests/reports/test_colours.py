"""The colours of the style sheet: text can be read on them, in light and dark (WCAG AA)."""

import colorsys
import re
from importlib.resources import files

import pytest

from crowdseq.reports.html.passages import N_COLOURS, colour_of

Colour = tuple[float, float, float]
STYLE = (files("crowdseq.reports.html") / "report.css").read_text("utf-8")
LIGHT, DARK = (
    dict(re.findall(r"--([\w-]+): ([^;]+);", block))
    for block in re.findall(r":root \{(.*?)\}", STYLE, re.S)[:2]
)
HUES = {f"k{place}": int(hue) for place, hue in re.findall(r"\.k(\d) \{ --hue: (\d+); \}", STYLE)}
ENOUGH = 4.5


def parse(value: str) -> Colour:
    """#rrggbb, or three numbers up to 255."""
    numbers = re.findall(r"[0-9a-f]{2}", value, re.I) if value.startswith("#") else value.split()
    red, green, blue = (int(number, 16 if value.startswith("#") else 10) / 255 for number in numbers)
    return red, green, blue


def hsl(hue: int, saturation: str, lightness: str) -> Colour:
    return colorsys.hls_to_rgb(hue / 360, float(lightness[:-1]) / 100, float(saturation[:-1]) / 100)


def over(top: Colour, below: Colour, alpha: float) -> Colour:
    red, green, blue = (alpha * a + (1 - alpha) * b for a, b in zip(top, below, strict=True))
    return red, green, blue


def contrast(first: Colour, second: Colour) -> float:
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Colour) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)) == pytest.approx(21)
    assert contrast(parse("#767676"), parse("#ffffff")) == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("mode", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("name", [f"k{number}" for number in range(N_COLOURS)])
def test_a_marked_span_can_be_read(name: str, mode: dict[str, str]) -> None:
    page = hsl(HUES[name], mode["mark-colour"], mode["mark-page"])
    assert contrast(page, hsl(HUES[name], "70%", mode["mark-ink"])) >= ENOUGH


@pytest.mark.parametrize("mode", [LIGHT, DARK], ids=["light", "dark"])
def test_words_can_be_read(mode: dict[str, str]) -> None:
    for ink in ("ink", "soft", "accent"):
        assert contrast(parse(mode[ink]), parse(mode["page"])) >= ENOUGH
        assert contrast(parse(mode[ink]), parse(mode["shade"])) >= ENOUGH
    assert contrast(parse(mode["warn"]), parse(mode["warn-page"])) >= ENOUGH
    for verdict in ("good", "warn", "drop"):
        assert contrast(parse(mode[verdict]), parse(mode["page"])) >= ENOUGH


@pytest.mark.parametrize("mode", [LIGHT, DARK], ids=["light", "dark"])
def test_figures_can_be_read_on_every_heat(mode: dict[str, str]) -> None:
    heats = re.findall(r"rgb\(var\(--(right|wrong)\) / ([.\d]+)\)", STYLE)
    assert len(heats) == 18 + 12, "of the tables, and of the square of annotators"
    for kind, alpha in heats:
        page = over(parse(mode[kind]), parse(mode["page"]), float(alpha))
        assert contrast(parse(mode["ink"]), page) >= ENOUGH, (kind, alpha)


def test_every_type_has_a_colour() -> None:
    assert {colour_of(kind) for kind in range(100)} == HUES.keys()
