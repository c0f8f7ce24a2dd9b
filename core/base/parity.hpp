// How a variable goes on beyond free-slip walls: along each axis odd, a sum of sines, or even, one of
// cosines. A product of odd and odd, or even and even, is even; a derivative turns odd into even and even
// into odd. Along a periodic axis parity means nothing.
#pragma once

#include <array>

#include "base/macros.hpp"

namespace whorl {

struct Parity {
    bool x = false, y = false, z = false; // odd

    WHORL_INLINE constexpr bool odd(int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
    // The number of axes along which it is a sum of sines.
    WHORL_INLINE constexpr int sines() const { return x + y + z; }
    bool operator==(const Parity&) const = default;
};

// Of a product of variables.
WHORL_INLINE constexpr Parity operator*(Parity a, Parity b) { return {a.x != b.x, a.y != b.y, a.z != b.z}; }
// Of a derivative along an axis, which is a product with odd_x, odd_y or odd_z.
inline constexpr Parity even{}, odd_x{true, false, false}, odd_y{false, true, false},
    odd_z{false, false, true};

// Nothing flows through a wall, and along it nothing is held back.
inline constexpr std::array<Parity, 3> parities_of_velocity{odd_x, odd_y, odd_z};
inline constexpr std::array<Parity, 3> parities_of_vorticity{odd_y * odd_z, odd_x * odd_z, odd_x * odd_y};

// Of a flux: of the term of the tendency it becomes along x and y, of itself along z. With walls in x a
// product is (-i)^s times a real number, s the axes of its sines, and so is a sum of products with real
// coefficients: `imaginary` says that s is odd.
struct FluxParity {
    Parity parity{};
    bool imaginary = false;
};

// A product p that travels on as it is.
constexpr FluxParity flux_of(Parity p) { return {p, p.sines() % 2 == 1}; }
// kx p + ky q, of which a mode has i times as much.
constexpr FluxParity flux_along(Parity p, Parity q) {
    if (!(p * odd_x == q * odd_y)) throw "kx p + ky q adds terms of unlike parities";
    return {p * odd_x, p.sines() % 2 == 1};
}

// Variables of one kind, then those of another.
template <class T, std::size_t n, std::size_t m>
constexpr std::array<T, n + m> joined(const std::array<T, n>& first, const std::array<T, m>& then) {
    std::array<T, n + m> all{};
    for (std::size_t v = 0; v < n; ++v) all[v] = first[v];
    for (std::size_t v = 0; v < m; ++v) all[n + v] = then[v];
    return all;
}

} // namespace whorl
