"""Names that options had in earlier versions: the runs that these have written stay readable."""

from collections.abc import Mapping
from typing import Any

# Present names of options by their earlier ones, for each section.
RENAMED = {"diagnostics": {"compensate": "correct_shells"}}


def renamed(section: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a block of this section by their names of today."""
    names = RENAMED.get(section, {})
    return {names.get(key, key): value for key, value in options.items()}


def as_of_today(sections: Mapping[str, Any]) -> dict[str, Any]:
    """The sections of a case that a run has written, by the names of today."""
    blocks = {
        name: [renamed(name, one) if isinstance(one, dict) else one for one in sections[name]]
        for name in RENAMED
        if isinstance(sections.get(name), list)
    }
    return {**sections, **blocks}
