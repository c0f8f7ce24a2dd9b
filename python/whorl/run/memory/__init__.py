"""The memory of a run before it begins: its needs, the room for them, and sizes that fit.

The core counts the bytes of the needs, `estimate_memory` in core/flow/flow.cpp.
"""
