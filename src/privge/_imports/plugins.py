"""Mechanisms, engines and datasets that other installed packages bring, found by their entry points.

A package says what it brings in its ``pyproject.toml``, and calls it what it calls itself::

    [project.entry-points."privge.mechanisms"]
    mine = "my_package:MyLaw"

Names are read without importing anything, and only when a name is not one of ours. A plug-in is imported when it is
asked for by its name, so that a broken one disturbs nobody else.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeVar

from privge.errors import PluginRefused

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

logger = logging.getLogger(__name__)

Member = TypeVar("Member")
Group = Literal["mechanisms", "engines", "datasets"]


class Plugins(Mapping[str, Member]):
    """Our own members of a family by name, and after them those of other packages.

    Parameters
    ----------
    group
        The family; its entry points are those of ``privge.<group>``.
    own
        The members that are here.
    accept
        Called with the name of a plug-in and what was imported; returns the member, or says in a `ValueError` why it
        is none.
    """

    def __init__(self, group: Group, own: Mapping[str, Member], accept: Callable[[str, object], Member]) -> None:
        self._group, self._own, self._accept = group, own, accept
        self._loaded: dict[str, Member] = {}

    def __getitem__(self, name: str) -> Member:
        if name in self._own:
            return self._own[name]
        if name not in self._loaded:
            self._loaded[name] = self._load(name, self._found[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from (name for name in sorted(self._found) if name not in self._own)

    def __len__(self) -> int:
        return len(self._own.keys() | self._found.keys())

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._found

    def usable(self) -> Iterator[str]:
        """Yield the names of all members, without the plug-ins that are refused; these are named in a warning."""
        for name in self:
            try:
                self[name]
            except PluginRefused as refusal:
                logger.warning("%s", refusal)
            else:
                yield name

    @cached_property
    def _found(self) -> dict[str, "list[EntryPoint]"]:
        from importlib.metadata import entry_points

        found: dict[str, list[EntryPoint]] = {}
        for point in entry_points(group=f"privge.{self._group}"):
            if point.name in self._own:
                logger.warning("%s", self._refused(point, "the name is taken by privge's own"))
            else:
                found.setdefault(point.name, []).append(point)
        return found

    def _load(self, name: str, points: "list[EntryPoint]") -> Member:
        point, *others = points
        if others:
            packages = ", ".join(sorted(_package(each) for each in points))
            raise self._refused(point, f"several packages bring one of that name ({packages}); uninstall all but one")
        try:
            imported = point.load()
        except Exception as error:  # a plug-in may fail in any way
            raise self._refused(point, f"its import fails with {type(error).__name__}: {error}") from error
        try:
            return self._accept(name, imported)
        except ValueError as error:
            raise self._refused(point, str(error)) from error

    def _refused(self, point: "EntryPoint", problem: str) -> PluginRefused:
        return PluginRefused(
            f"the plug-in {point.name!r} among the {self._group} of the package {_package(point)} "
            f"({point.value}) is refused: {problem}"
        )


def _package(point: "EntryPoint") -> str:
    return "of unknown name" if point.dist is None else point.dist.name
