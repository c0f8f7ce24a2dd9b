"""Makes files of declared.toml: `python declared.py declared.toml declared.hpp devices.txt`.

The first is the header base/declared.hpp. The second has a line for each device: its file, class and option.
"""

import sys
import tomllib
from pathlib import Path
from typing import Any

HEAD = """\
// Made by cmake/declared.py of python/whorl/base/declared.toml, which says what all this is.
#pragma once

#include <array>

namespace whorl::declared {
"""
TYPES = {bool: "bool", int: "int", float: "double", str: "const char*"}


def literal(value: Any) -> str:
    if isinstance(value, list):
        return "{" + ", ".join(map(literal, value)) + "}"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)


def type_of(value: Any) -> str:
    if isinstance(value, list):
        return f"std::array<{type_of(value[0])}, {len(value)}>"
    return TYPES[type(value)]


def structs(name: str, rows: dict[str, dict[str, Any]]) -> str:
    """`struct Name` and the array `names`; every row has all members."""
    first = next(iter(rows.values()))
    if uneven := [row for row in rows if list(rows[row]) != list(first)]:
        raise SystemExit(f"declared.toml: {name}.{uneven[0]} has not the members {', '.join(first)}.")
    members = "".join(f"    {type_of(value)} {member}{{}};\n" for member, value in first.items())
    lines = "".join(
        f"    {name.capitalize()}{{{', '.join(map(literal, (row, *values.values())))}}},\n"
        for row, values in rows.items()
    )
    return (
        f"struct {name.capitalize()} {{\n    const char* name{{}};\n{members}}};\n"
        f"inline constexpr std::array {name}s{{\n{lines}}};\n"
    )


def constants(name: str, values: dict[str, Any]) -> str:
    lines = "".join(
        f"inline constexpr {type_of(value)} {key} = {literal(value)};\n" for key, value in values.items()
    )
    return f"namespace {name} {{\n{lines}}} // namespace {name}\n"


def header(declared: dict[str, dict[str, Any]]) -> str:
    parts = (
        (structs if all(isinstance(value, dict) for value in table.values()) else constants)(name, table)
        for name, table in declared.items()
    )
    return HEAD + "\n" + "\n".join(parts) + "\n} // namespace whorl::declared\n"


def devices(declared: dict[str, dict[str, Any]]) -> str:
    files = {name.replace("-", "_"): device for name, device in declared["device"].items()}
    return "".join(f"{file} {device['type']} WHORL_{file.upper()}\n" for file, device in files.items())


def write(target: Path, text: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.is_file() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")


def main() -> None:
    source, of_header, of_devices = map(Path, sys.argv[1:])
    declared = tomllib.loads(source.read_text(encoding="utf-8"))
    write(of_header, header(declared))
    write(of_devices, devices(declared))


if __name__ == "__main__":
    main()
