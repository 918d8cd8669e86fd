"""One method, one file or folder of the same name; a method is loaded when it is first asked for."""

from importlib import import_module
from pkgutil import iter_modules

from crowdseq.aggregation.contract import Aggregator, registered_methods

__all__ = ["find_method", "list_methods", "method_names"]


def method_names() -> tuple[str, ...]:
    """The names on the command line of all methods, without loading one."""
    files = {module.name.replace("_", "-") for module in iter_modules(__path__)}
    return tuple(sorted(files | registered_methods().keys()))


def find_method(name: str) -> type[Aggregator]:
    """The method of a name that `method_names` has."""
    if name not in registered_methods():
        import_module(f"{__name__}.{name.replace('-', '_')}")
    return registered_methods()[name]


def list_methods() -> dict[str, type[Aggregator]]:
    """Every method by its name on the command line.

    >>> import crowdseq
    >>> "sa-slc" in crowdseq.list_methods()
    True
    """
    return {name: find_method(name) for name in method_names()}
