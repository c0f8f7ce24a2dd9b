"""Philox 4x32-10 in plain integers, to know the offsets phase-shifted steps draw (Salmon et al., SC11)."""

WORD = 0xFFFFFFFF


def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """Four random 32-bit words for a counter and a key."""
    a, b, c, d = counter
    k, q = key
    for _ in range(10):
        first, second = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = (second >> 32) ^ b ^ k, second & WORD, (first >> 32) ^ d ^ q, first & WORD
        k, q = (k + 0x9E3779B9) & WORD, (q + 0xBB67AE85) & WORD
    return a, b, c, d


def shift_offset(seed: int, pair: int) -> tuple[float, float, float]:
    """Offset of the first grid of the steps 2 pair and 2 pair + 1 in fractions of a cell, each in (0, 1)."""
    words = philox((pair & WORD, pair >> 32, 0, 0), (seed & WORD, seed >> 32))
    return tuple((word + 0.5) / 2**32 for word in words[:3])
