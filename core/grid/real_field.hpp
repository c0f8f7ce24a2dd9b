// The modes of a real field that determine each other. A component's amplitude at -k, reflected by the walls,
// is the conjugate of that at k, with a minus where it is a sine along an odd number of walled axes.
#pragma once

#include <array>

#include "base/complex.hpp"
#include "base/parity.hpp"
#include "grid/box.hpp"

namespace whorl {

struct RealMode {
    std::array<int, 3> of; // the mode of each such pair that determines the other
    bool mirrored;         // this is the other one
    bool alone;            // both are the same mode

    WHORL_ANYWHERE RealMode(std::array<int, 3> n, const Box& box) : of(n) {
        const bool paired = n[0] == 0 || box.wall(0);
        const int y = box.wall(1) ? 0 : n[1], z = box.wall(2) ? 0 : n[2], leading = y != 0 ? y : z;
        mirrored = paired && leading < 0;
        alone = paired && leading == 0;
        if (mirrored) of = {n[0], n[1] - 2 * y, n[2] - 2 * z};
    }
};

// The symmetry of one component at one mode.
struct RealAmplitude {
    bool none; // a sine has no amplitude at wavenumber 0
    bool odd;  // sines along an odd number of walled axes

    WHORL_ANYWHERE RealAmplitude(std::array<int, 3> n, Parity given, const Box& box) {
        const Parity sine{given.x && box.wall(0), given.y && box.wall(1), given.z && box.wall(2)};
        none = (sine.x && n[0] == 0) || (sine.y && n[1] == 0) || (sine.z && n[2] == 0);
        odd = sine.sines() % 2 == 1;
    }

    // The amplitude of a mode from two real numbers that were drawn for mode.of.
    WHORL_ANYWHERE Complex<double> from(const RealMode& mode, double re, double im) const {
        if (none) return {0.0, 0.0};
        if (mode.alone) return {odd ? 0.0 : re, odd ? im : 0.0};
        if (!mode.mirrored) return {re, im};
        return {odd ? -re : re, odd ? im : -im};
    }
};

} // namespace whorl
