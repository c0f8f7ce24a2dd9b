"""Names of the groups, the dimensions and the scalars of a snapshot."""

import tomllib
from typing import Any

from whorl.config.scalars import own_names

ROOT = "VTKHDF"
FIELDS = f"{ROOT}/PointData"
NUMBERED = 1  # the version whose scalars are scalar0, scalar1, …
# The name of the last dimension of a field by its length: components of a vector, parts of a complex number.
LAST = {
    3: ("component", ["x", "y", "z"]),
    2: ("part", ["real", "imaginary"]),
    9: ("pair", [a + b for a in "xyz" for b in "xyz"]),
}


def scalars_in(attributes: dict[str, Any]) -> dict[str, str]:
    """Names of the scalars by their names in a file of the first version, which numbered them."""
    if attributes.get("version") != NUMBERED:
        return {}
    return own_names(tomllib.loads(attributes.get("case", "")))
