"""Fails if the compiler warned of a file of whorl: `python cmake/no_warnings.py SOURCE BUILD`.

Notes count as well: of a changed ABI (-Wpsabi) GCC says no more than a note, which -Werror lets pass.
"""

import json
import re
import sys
from pathlib import Path

OBJECT = re.compile(r" -o (\S+)")


def warnings(source: Path, build: Path) -> dict[str, str]:
    """Warnings of each file when it was last compiled; other projects' files are left out."""
    own = (source / "core", source / "tools", build)
    said = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        file, made = Path(entry["file"]), OBJECT.search(entry["command"])
        kept = build / f"{made[1]}.warnings" if made else build
        if kept.is_file() and any(file.is_relative_to(folder) for folder in own):
            said[made[1]] = kept.read_text(encoding="utf-8", errors="replace")
    return said


def main() -> int:
    said = warnings(*map(Path, sys.argv[1:]))
    for text in said.values():
        print(text, file=sys.stderr)
    if said:
        print(
            f"The compiler warned of {len(said)} objects (above): a build with WHORL_WERROR has no warnings; "
            "mend them, or build with the preset release, which goes on.",
            file=sys.stderr,
        )
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
