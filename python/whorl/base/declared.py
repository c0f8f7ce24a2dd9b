"""The facts that the core and Python share: declared.toml, which describes each of them."""

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
