// Symmetry of a variable about free-slip walls: along each axis it is odd, a sum of sines, or even, a sum of
// cosines. A product of odd and odd, or even and even, is even; a derivative turns odd into even and even
// into odd. Along a periodic axis parity has no meaning.
#pragma once

#include <array>

#include "base/macros.hpp"

namespace whorl {

struct Parity {
    bool x = false, y = false, z = false; // odd

    WHORL_INLINE constexpr bool odd(int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
    // Number of axes along which the variable is a sum of sines.
    WHORL_INLINE constexpr int sines() const { return x + y + z; }
    bool operator==(const Parity&) const = default;
};

// Parity of a product of variables.
WHORL_INLINE constexpr Parity operator*(Parity a, Parity b) { return {a.x != b.x, a.y != b.y, a.z != b.z}; }
// The parity of a derivative along an axis is a product with odd_x, odd_y or odd_z.
inline constexpr Parity even{}, odd_x{true, false, false}, odd_y{false, true, false},
    odd_z{false, false, true};

// Free-slip walls: the normal velocity is zero, and so is the normal derivative of the tangential velocity.
inline constexpr std::array<Parity, 3> parities_of_velocity{odd_x, odd_y, odd_z};
inline constexpr std::array<Parity, 3> parities_of_vorticity{odd_y * odd_z, odd_x * odd_z, odd_x * odd_y};

// Parity of a flux: along x and y that of the term of the tendency it contributes to, along z its own. With
// walls in x a product is (-i)^s times a real number, where s is its number of axes with sines, and so is a
// sum of products with real coefficients: `imaginary` states that s is odd.
struct FluxParity {
    Parity parity{};
    bool imaginary = false;
};

// The flux is the product p itself.
constexpr FluxParity flux_of(Parity p) { return {p, p.sines() % 2 == 1}; }
// The flux kx p + ky q, which enters the tendency of a mode with a factor i.
constexpr FluxParity flux_along(Parity p, Parity q) {
    if (!(p * odd_x == q * odd_y)) throw "kx p + ky q adds terms of unlike parities";
    return {p * odd_x, p.sines() % 2 == 1};
}

// Concatenates two arrays.
template <class T, std::size_t n, std::size_t m>
constexpr std::array<T, n + m> joined(const std::array<T, n>& first, const std::array<T, m>& then) {
    std::array<T, n + m> all{};
    for (std::size_t v = 0; v < n; ++v) all[v] = first[v];
    for (std::size_t v = 0; v < m; ++v) all[n + v] = then[v];
    return all;
}

} // namespace whorl
