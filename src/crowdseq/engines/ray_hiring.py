"""hire: actors of Ray that are at work, or one line about why they are not."""

import time
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from typing import Any

from crowdseq.errors import Advice, SettingsError
from crowdseq.numerics.em import Progress

_TELL_SECONDS = 5.0


def hire(ray: Any, make: Callable[[], Any], count: int, tell: Progress, patience: float) -> list[Any]:
    """So many `ShardHolder`s; tell: that they are waited for, at most for `patience` seconds."""
    hired = [make() for _ in range(count)]
    try:
        for reference in _answered(ray, [actor.version.remote() for actor in hired], tell, patience):
            _check(ray, reference)
    except BaseException:
        for actor in hired:
            end(ray, actor)
        raise
    return hired


def end(ray: Any, actor: Any) -> None:
    """Whatever state it is in."""
    with suppress(Exception):
        ray.kill(actor)


def _answered(ray: Any, versions: list[Any], tell: Progress, patience: float) -> list[Any]:
    """What all of them say; Ray itself would wait for ever where a cluster is too small."""
    begun = time.monotonic()
    while True:
        ready, missing = ray.wait(versions, num_returns=len(versions), timeout=min(_TELL_SECONDS, patience))
        if not missing:
            return list(ready)
        if time.monotonic() - begun >= patience:
            cores = ray.cluster_resources().get("CPU", 0)
            raise SettingsError(
                f"{len(missing)} of {len(versions)} workers of Ray did not start within {patience:,.0f} s, "
                f"the cluster has {cores:,.0f} processors in all:",
                Advice("say fewer with {workers}, or wait until they are free", workers=""),
            )
        tell("waiting for workers of Ray", len(ready), len(versions))


def _check(ray: Any, reference: Any) -> None:
    """Whether a worker understands this process; one that died since is found out when it is asked."""
    errors = ray.exceptions
    try:
        theirs, ours = ray.get(reference), version("crowdseq")
    except (errors.RayActorError, errors.OutOfMemoryError, errors.RuntimeEnvSetupError) as error:
        if getattr(error, "actor_init_failed", True):
            raise _unlike(f"a worker of Ray cannot start ({str(error).strip().splitlines()[-1]})") from None
        return
    if theirs != ours:
        raise _unlike(f"a worker of Ray has crowdseq {theirs}, this process {ours}")


def _unlike(what: str) -> SettingsError:
    return SettingsError(f"{what}: all machines need the same crowdseq")
