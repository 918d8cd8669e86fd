"""Settings as people give them."""

from math import inf, nan
from typing import Any

import pytest

from builders import random_corpus
from crowdseq.errors import SettingsError
from crowdseq.methods import list_methods
from crowdseq.workflows.learning import learn
from crowdseq.workflows.recipes import check_options, make_recipe, settings_of


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e999", nan, inf])
@pytest.mark.parametrize("method", sorted(list_methods()))
def test_no_setting_of_any_method_takes_what_is_no_finite_number(method: str, value: Any) -> None:
    kinds = {name: str(field.type) for name, field in settings_of(list_methods()[method]).items()}
    for name in (name for name, kind in kinds.items() if "float" in kind):
        with pytest.raises(SettingsError, match=f"{name} is -?(nan|inf), it must be a finite number"):
            make_recipe(method, {name: value})


@pytest.mark.parametrize(
    "method", [name for name, made in list_methods().items() if "seed" in settings_of(made)]
)
@pytest.mark.parametrize("seed", [-1, "-1", 1.5])
def test_a_seed_that_nothing_can_be_drawn_with_is_refused(method: str, seed: Any) -> None:
    with pytest.raises(SettingsError, match="seed"):
        learn(random_corpus(1, sentences=3), method, seed=seed)


@pytest.mark.parametrize("megabytes", ["-5", -0.1])
def test_less_than_no_memory_is_refused(megabytes: Any) -> None:
    with pytest.raises(SettingsError, match=r"max_memory is -.*, it cannot be negative"):
        make_recipe("sa-slc", {"max_memory": megabytes})


def test_an_option_and_a_setting_may_say_the_same_but_not_two_things() -> None:
    check_options({"seed": "1", "max_memory": "5"}, {"seed": 1, "max_memory": 5.0})
    check_options({"seed": "1"}, {"threads": 2})
    with pytest.raises(SettingsError, match=r"given twice, as 6 and as 5\.0: say max_memory='5\.0' alone"):
        check_options({"max_memory": "6"}, {"max_memory": 5.0})
