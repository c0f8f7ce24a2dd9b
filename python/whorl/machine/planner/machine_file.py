"""Writes a machine as the TOML file that `load_machine` reads, with help and units of the options."""

import tomlkit
from tomlkit.items import Table

from whorl.config.explain import describe
from whorl.config.section import Section
from whorl.machine.planner.machine import Machine


def machine_toml(machine: Machine, comment: str = "") -> str:
    """The text of a machine file; `comment` is at its top."""
    document = tomlkit.document()
    for line in comment.splitlines():
        document.add(tomlkit.comment(line))
    for name in Machine.model_fields:
        value = getattr(machine, name)
        if isinstance(value, Section):
            document.add(name, _table(value))
        elif value:
            tables = tomlkit.aot()
            for index, section in enumerate(value):
                tables.append(_table(section, with_help=index == 0))
            document.add(name, tables)
    return tomlkit.dumps(document)


def _table(section: Section, with_help: bool = True) -> Table:
    table = tomlkit.table()
    for key, value in section.model_dump().items():
        item = tomlkit.item(list(value) if isinstance(value, tuple) else value)
        about = describe(key, type(section).model_fields[key])
        if with_help:
            item.comment(f"{about.help} [{about.unit}]" if about.unit else about.help)
        table.add(key, item)
    return table
