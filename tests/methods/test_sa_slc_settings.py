"""The settings of SA-SLC: filled from a preset, checked, and in groups."""

from dataclasses import fields
from typing import Any

import pytest

from crowdseq.aggregation.contract import describe_settings
from crowdseq.errors import SettingsError
from crowdseq.methods.sa_slc import SaSlc
from crowdseq.methods.sa_slc.settings import PRESETS, Settings


def flat(settings: Settings) -> dict[str, Any]:
    """The settings of all groups by name."""
    groups = (settings.votes, settings.mentions, settings.text, settings.search)
    return {field.name: getattr(group, field.name) for group in groups for field in fields(group)}


@pytest.mark.parametrize("preset", PRESETS)
def test_every_setting_of_the_recipe_stands_in_one_group_as_the_preset_says(preset: str) -> None:
    recipe = SaSlc(preset=preset)
    described = describe_settings(recipe)
    assert described.pop("preset") == preset
    assert flat(recipe.settings) == described
    assert {name: described[name] for name in PRESETS[preset]} == PRESETS[preset]


def test_what_is_set_goes_before_the_preset() -> None:
    recipe = SaSlc(preset="paper", folds=3, coupling=0.25)
    assert (recipe.folds, recipe.settings.text.folds) == (3, 3)
    assert (recipe.coupling, recipe.settings.mentions.coupling) == (0.25, 0.25)
    assert recipe.settings.mentions.surprise == 0.0


def test_no_setting_is_left_open() -> None:
    assert None not in describe_settings(SaSlc()).values()


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"start": "gold"}, "start is 'gold', choose one of auto, majority, votes, recall, judged, paper"),
        ({"rounds": 0}, "rounds is 0, it must be at least 1"),
        ({"smoothing": -0.5}, r"smoothing is -0\.5, it must be at least 0\.0"),
        ({"temperature": 0.0}, r"temperature is 0\.0, it must be above 0$"),
        ({"upper": 0.1}, r"upper is 0\.1, it cannot be below lower, 0\.15"),
        ({"tagger_c2": -1.0}, "c2 must be a number not below 0"),
    ],
)
def test_what_no_run_could_work_with_is_refused(setting: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        SaSlc(**setting)


def test_a_recipe_shows_its_settings_and_equals_one_that_spells_them_out() -> None:
    assert repr(SaSlc()).startswith("SaSlc(preset='default', dependency='auto', repeat_scope='document'")
    assert SaSlc() == SaSlc(**describe_settings(SaSlc()))
