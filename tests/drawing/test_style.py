"""The colours reach WCAG AA wherever text stands on a ground, in light, dark and print."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

PALETTE = files("amun_dp.drawing").joinpath("palette.css").read_text(encoding="utf-8")
STYLE = files("amun_dp.drawing").joinpath("style.css").read_text(encoding="utf-8")
TEXT_ON_GROUND = [
    *((text, ground) for text in ("ink", "muted", "accent") for ground in ("paper", "surface")),
    *((f"{name}", f"{name}-soft") for name in ("good", "fair", "bad", "open")),
    *((name, "surface") for name in ("good", "fair", "bad", "open")),
    ("ink", "accent-soft"),
    ("alarm-ink", "alarm"),
]
SHAPES_ON_GROUND = [("accent", "surface"), ("open", "surface"), ("bad", "surface"), ("muted", "surface")]


def colours(theme: str) -> dict[str, tuple[int, int, int]]:
    start = {"light": 0, "dark": PALETTE.index("prefers-color-scheme: dark"), "print": PALETTE.index("@media print")}[
        theme
    ]
    end = PALETTE.index("}", start)
    found = re.findall(r"--([a-z-]+): #([0-9a-f]{6});", PALETTE[start:end])
    return {name: (int(code[:2], 16), int(code[2:4], 16), int(code[4:], 16)) for name, code in found}


def luminance(colour: tuple[int, int, int]) -> float:
    """Relative luminance, as WCAG 2 defines it."""
    linear = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark", "print"])
def test_text_is_readable_on_its_ground(theme: str) -> None:
    found = colours(theme)
    for text, ground in TEXT_ON_GROUND:
        assert contrast(found[text], found[ground]) >= 4.5, f"{text} on {ground}"
    for shape, ground in SHAPES_ON_GROUND:
        assert contrast(found[shape], found[ground]) >= 3, f"{shape} on {ground}"


def test_the_measure_of_contrast_is_the_one_of_the_standard() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((119, 119, 119), (255, 255, 255)) == pytest.approx(4.48, abs=0.005)


def test_every_theme_has_the_same_colours_and_the_style_uses_no_others() -> None:
    assert set(colours("light")) == set(colours("dark")) == set(colours("print"))
    used = set(re.findall(r"var\(--([a-z-]+)\)", STYLE)) - {"sans", "mono"}
    assert used <= set(colours("light"))
    assert not re.findall(r"#[0-9a-f]{3,6}\b", STYLE)
