"""The numbers of grid points that the transforms accept (base/declared.toml)."""

from whorl.base.declared import SIZES

LARGEST_FACTOR = max(SIZES["factors"])


def prime_factors(n: int) -> list[int]:
    factors, divisor = [], 2
    while n > 1:
        if n % divisor == 0:
            factors.append(divisor)
            n //= divisor
        else:
            divisor = divisor + 1 if divisor * divisor <= n else n
    return factors


def next_good_size(n: int) -> int:
    """The smallest even size of at least n that an axis may have."""
    n = max(SIZES["least"], n + n % 2)
    while not set(prime_factors(n)) <= set(SIZES["factors"]):
        n += 2
    return n
