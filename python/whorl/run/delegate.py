"""Methods and properties that an object has through one of its parts."""

from collections.abc import Callable
from functools import wraps
from operator import attrgetter
from typing import Any, Concatenate, ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")


def method_of(
    part: str, method: Callable[Concatenate[Any, Given], Result]
) -> Callable[Concatenate[Any, Given], Result]:
    """A method that calls `method` on a part, such as "loop.ends", with its signature and docstring."""
    of = attrgetter(part)

    @wraps(method)
    def called(whole: Any, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        return method(of(whole), *args, **kwargs)

    return called


def property_of(part: str, member: property) -> property:
    """A property that reads `member` of a part, with its docstring."""
    of = attrgetter(part)
    return property(lambda whole: member.fget(of(whole)), doc=member.__doc__)
