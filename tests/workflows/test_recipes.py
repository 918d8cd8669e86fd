"""Settings as people give them."""

from math import inf, nan
from typing import Any

import numpy as np
import pytest

from builders import random_corpus
from crowdseq.engines.shelf import Bound
from crowdseq.errors import SettingsError
from crowdseq.methods import list_methods
from crowdseq.workflows.learning import learn
from crowdseq.workflows.recipes import RESOURCES, Resources, check_options, make_recipe, settings_of


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


@pytest.mark.parametrize("threads", ["0", 0, -1, 1.5])
def test_fewer_threads_than_one_are_refused(threads: Any) -> None:
    with pytest.raises(SettingsError, match=r"threads is .*, it must be at least 1"):
        make_recipe("sa-slc", {"threads": threads})


@pytest.mark.parametrize("value", ["nan", inf])
def test_a_bound_of_memory_is_a_finite_number(value: Any) -> None:
    with pytest.raises(SettingsError, match=r"max_memory is (nan|inf), it must be a finite number"):
        make_recipe("sa-slc", {"max_memory": value})


@pytest.mark.parametrize("method", sorted(list_methods()))
def test_resources_are_no_part_of_a_recipe(method: str) -> None:
    assert not set(RESOURCES) & set(settings_of(list_methods()[method]))
    assert make_recipe(method, {"threads": "2", "max_memory": None}) == make_recipe(method)


def test_resources_are_given_like_settings() -> None:
    assert Resources.of({"threads": "2", "max_memory": "5", "rounds": "3"}) == Resources(2, 5.0)
    world = random_corpus(4, sentences=20, documents=5)
    one, two = (learn(world, "sa-slc", tagger=False, rounds=2, threads=threads) for threads in (1, 2))
    assert one.recipe == two.recipe
    np.testing.assert_array_equal(one.consensus.probabilities, two.consensus.probabilities)
    with pytest.raises(SettingsError, match="more than max_memory allows"):
        learn(world, "sa-slc", tagger=False, max_memory=0.001)


@pytest.mark.parametrize(
    "method", [name for name, made in list_methods().items() if not made.can_bound_memory]
)
def test_a_bound_of_memory_is_refused_where_it_means_nothing(method: str) -> None:
    with pytest.raises(SettingsError, match=f"method {method} cannot be held to max_memory, leave it out"):
        make_recipe(method, {"max_memory": 5.0})


@pytest.mark.parametrize("method", [name for name, made in list_methods().items() if not made.can_use_dev])
def test_a_dev_text_is_refused_where_it_means_nothing(method: str) -> None:
    world = random_corpus(1, sentences=3)
    with pytest.raises(SettingsError, match=f"method {method} has no rounds to choose from"):
        learn(world, method, dev=world)


def test_an_option_and_a_setting_may_say_the_same_but_not_two_things() -> None:
    check_options({"seed": "1", "max_memory": "5"}, {"seed": 1, "max_memory": 5.0})
    check_options({"seed": "1"}, {"threads": 2})
    with pytest.raises(SettingsError, match=r"given twice, as 6 and as 5\.0: say max_memory='5\.0' alone"):
        check_options({"max_memory": "6"}, {"max_memory": 5.0})


def test_a_bound_of_memory_is_that_of_each_worker() -> None:
    assert Resources(engine="ray").wish().bound is None
    bound = Resources(engine="ray", max_memory=8000.0).wish().bound
    assert bound == Bound(3200.0, 8000.0)
    assert Resources(max_memory=8000.0).wish(9000.0).bound == bound
