// Fields in the layout of another round trip. If the first axis and another periodic axis are swapped, lines
// along that axis become rows. For z these are
//   f'(x, y, z) = f(z, y, x),   f'^(a, b, c) = f^(c, b, a), the conjugate of f^(-c, -b, -a) where c < 0.
// Along an axis with walls n >= 0 stays, and the conjugate changes sign where f is odd there, since the
// coefficients are those of its odd extension. With fewer points, modes that are no longer kept are dropped.
// Modes that `from` does not keep are zero. Every rank asks the others for the modes that it has of f', some
// at a time.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "exchange/communicator.hpp"
#include "programs/program_parts.hpp"
#include "roundtrip/forward.hpp"

namespace whorl::programs {

// The most modes of a rank that are remapped at a time.
inline constexpr std::int64_t most_remapped = 1 << 18;

// The numbers of the fields in a program's inputs, each once.
inline std::vector<int> fields_of(const Program& program) {
    std::vector<int> fields;
    for (const auto& input : program.inputs)
        for (const Term& term : input)
            if (std::ranges::find(fields, term.field) == fields.end()) fields.push_back(term.field);
    return fields;
}

// The program for swapped fields. Its fields are the given ones in place of the flow's.
inline Program swapped(Program program, int axis, const std::vector<int>& fields) {
    for (auto& input : program.inputs)
        for (Term& term : input) {
            std::swap(term.derivatives[0], term.derivatives[static_cast<std::size_t>(axis)]);
            term.field = static_cast<int>(std::ranges::find(fields, term.field) - fields.begin());
        }
    const int x = static_cast<int>(program.inputs.size() + program.numbers.size());
    const auto swap_axes = [&](std::vector<int>& operands) {
        for (int& one : operands) one = one == x ? x + axis : one == x + axis ? x : one;
    };
    for (auto& [operation, operands] : program.instructions) swap_axes(operands);
    swap_axes(program.results);
    return program;
}

// Sets fields of the layout `to` from those of `from`, which has the modes `kept`. The first axis and `axis`
// are swapped; 0: none. Collective.
template <class Device, class Real>
void remap_modes(const RoundTrip<Device, Real>& from, const Truncation& kept, RoundTrip<Device, Real>& to,
                 const exchange::Communicator& world, int axis, const std::vector<NamedField<Real>>& fields,
                 const std::vector<Complex<Real>*>& remapped);

} // namespace whorl::programs
