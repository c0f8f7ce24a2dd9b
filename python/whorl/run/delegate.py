"""Methods and properties that an object has through one of its parts."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")


def method_of(
    part: str, method: Callable[Concatenate[Any, Given], Result]
) -> Callable[Concatenate[Any, Given], Result]:
    """A method that calls `method` on an attribute, with its signature and docstring."""

    @wraps(method)
    def called(whole: Any, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        return method(getattr(whole, part), *args, **kwargs)

    return called


def property_of(part: str, member: property) -> property:
    """A property that reads `member` of an attribute, with its docstring."""
    return property(lambda whole: member.fget(getattr(whole, part)), doc=member.__doc__)
