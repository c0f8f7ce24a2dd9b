"""Which numbers of grid points the transforms take well."""


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
    """Smallest even size of at least 4 and n with no prime factor above 7."""
    n = max(4, n + n % 2)
    while max(prime_factors(n)) > 7:
        n += 2
    return n
