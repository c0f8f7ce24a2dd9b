// Functions of rows that a C compiler makes of the text of equations, in place of loops over their tables
// (whorl.equations.c_source writes the text, and has this structure).
#pragma once

#include <cstdint>

#include "roundtrip/pass.hpp"

namespace whorl::equations {

// The arguments of a function of a row. Complex numbers are pairs of reals. A stride leads from a variable to
// the next and counts numbers, complex ones but for `work`.
//
// load: `to` has inputs, `from` the components of the state, `state` the inner fields, at modes.
// work: `to` has products, `from` inputs, at points; bounds have the rate and the square of the speed, or are
// null.
// contract: `to` has fluxes, `from` products, at one ky.
// tendency: `to` has tendencies, `from` fluxes; with a state the linear coupling is added.
//
// On a GPU a row has one mode or point. There `to` of work may be null, for the bounds alone.
template <class Real> struct CompiledRow {
    std::int64_t length;
    const Real* kx;
    Real ky, kz;
    const Real* from;
    std::int64_t from_stride;
    Real* to;
    std::int64_t to_stride;
    const Real* state;
    std::int64_t state_stride;
    const Real* numbers;      // of the point program
    const Real* positions[3]; // x, y, z of the points
    Real* bounds;
    std::int64_t bounds_stride;
};

template <class Real> CompiledRow<Real> compiled_row(const ModeRow<Real>& row) {
    CompiledRow<Real> of{};
    of.length = row.length;
    of.kx = row.kx;
    of.ky = row.ky;
    of.kz = row.kz;
    return of;
}

// The products of a row from number `first` on, which become fluxes.
template <class Real>
WHORL_INLINE CompiledRow<Real> compiled_row(const ContractedRow<Real, Complex<Real>>& row, std::int64_t first,
                                            std::int64_t length) {
    CompiledRow<Real> of{};
    of.length = length;
    of.kx = row.kx + first;
    of.ky = row.ky;
    of.from = &row.from[first].re;
    of.from_stride = row.from_stride;
    of.to = &row.to[first].re;
    of.to_stride = row.to_stride;
    return of;
}

// Addresses of functions, for one precision. Tables are read in place of one that is 0.
struct RowCode {
    bool of_double = true;
    std::uintptr_t load = 0, work = 0, contract = 0, tendency = 0;
    std::uintptr_t kernels = 0; // of a GPU, linked with the functions (Device::use_kernels())

    bool exists() const { return load || work || contract || tendency || kernels; }
};

// The functions of a RowCode as they are called.
template <class Real> struct RowFunctions {
    using Function = void (*)(const CompiledRow<Real>*);
    Function load = nullptr, work = nullptr, contract = nullptr, tendency = nullptr;

    RowFunctions() = default;
    explicit RowFunctions(const RowCode& code)
        : load(at(code.load)), work(at(code.work)), contract(at(code.contract)), tendency(at(code.tendency)) {
    }

  private:
    static Function at(std::uintptr_t address) {
        return reinterpret_cast<Function>(address); // NOLINT: the border carries an address
    }
};

} // namespace whorl::equations
