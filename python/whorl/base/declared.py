"""What the core and Python both go by: declared.toml, which says what each of it is."""

import tomllib
from pathlib import Path
from typing import Any

DECLARED: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)
CHOICES: dict[str, list[str]] = DECLARED["choices"]
TRANSPORTS: dict[str, dict[str, bool]] = DECLARED["transport"]
DEVICES: dict[str, dict[str, Any]] = DECLARED["device"]
GPUS = tuple(name for name, device in DEVICES.items() if device["gpu"])
PLAIN_TRANSPORT = next(iter(TRANSPORTS))
SIZES: dict[str, Any] = DECLARED["sizes"]
