// The compiled functions of rows (row_code.hpp) in the kernels of a GPU, whose rows have one point or mode.
#pragma once

#include "equations/plan.hpp"

namespace whorl::equations {

#ifdef WHORL_LINKED
// whorl_number: components, fluxes, components of the widest block, then 1 for each function of work,
// contract, tendency that exists. whorl_solenoidal: components of the solenoidal field whose first is
// `component`, or 0.
extern "C" {
WHORL_DEVICE int whorl_number(int which);
WHORL_DEVICE int whorl_solenoidal(int component);
WHORL_DEVICE void whorl_work(const CompiledRow<WHORL_LINKED>* row);
WHORL_DEVICE void whorl_contract(const CompiledRow<WHORL_LINKED>* row);
WHORL_DEVICE void whorl_tendency(const CompiledRow<WHORL_LINKED>* row);
}
#endif

// The functions in a kernel. Kernels of CUDA have none but where they are linked with them when a run begins:
// these are compiled apart, with WHORL_LINKED, their precision (cmake/cuda.cmake). Then numbers of variables
// are constants, so that arrays become registers.
template <class Real> struct PointCode {
    RowFunctions<Real> functions;
    int numbers[3]; // of components, of fluxes, of components in the widest block
    signed char solenoidal[most_components];

#if defined(__CUDA_ARCH__) && defined(WHORL_LINKED)
    static constexpr bool linked = true;
    WHORL_INLINE int components() const { return whorl_number(0); }
    WHORL_INLINE int fluxes() const { return whorl_number(1); }
    WHORL_INLINE int widest_block() const { return whorl_number(2); }
    WHORL_INLINE int solenoidal_from(int component) const { return whorl_solenoidal(component); }
    WHORL_INLINE bool has_work() const { return whorl_number(3); }
    WHORL_INLINE bool has_contract() const { return whorl_number(4); }
    WHORL_INLINE bool has_tendency() const { return whorl_number(5); }
    WHORL_INLINE void work(const CompiledRow<Real>& row) const { whorl_work(&row); }
    WHORL_INLINE void contract(const CompiledRow<Real>& row) const { whorl_contract(&row); }
    WHORL_INLINE void tendency(const CompiledRow<Real>& row) const { whorl_tendency(&row); }
#else
    static constexpr bool linked = false;
    WHORL_INLINE int components() const { return numbers[0]; }
    WHORL_INLINE int fluxes() const { return numbers[1]; }
    WHORL_INLINE int widest_block() const { return numbers[2]; }
    WHORL_INLINE int solenoidal_from(int component) const { return solenoidal[component]; }
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    WHORL_INLINE bool has_work() const { return false; }
    WHORL_INLINE bool has_contract() const { return false; }
    WHORL_INLINE bool has_tendency() const { return false; }
    WHORL_INLINE void work(const CompiledRow<Real>&) const {}
    WHORL_INLINE void contract(const CompiledRow<Real>&) const {}
    WHORL_INLINE void tendency(const CompiledRow<Real>&) const {}
#else
    WHORL_INLINE bool has_work() const { return functions.work; }
    WHORL_INLINE bool has_contract() const { return functions.contract; }
    WHORL_INLINE bool has_tendency() const { return functions.tendency; }
    WHORL_INLINE void work(const CompiledRow<Real>& row) const { functions.work(&row); }
    WHORL_INLINE void contract(const CompiledRow<Real>& row) const { functions.contract(&row); }
    WHORL_INLINE void tendency(const CompiledRow<Real>& row) const { functions.tendency(&row); }
#endif
#endif
};

} // namespace whorl::equations
