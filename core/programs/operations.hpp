// The operations of a program at a point, on real numbers a, b, c and d; a comparison gives 1 or 0. NumPy's
// functions of these names give the same but for rounding (python/whorl/expressions/operations.py).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "base/fused.hpp"

namespace whorl::programs {

// The remainder of a / b with the sign of b. It is exact; a - floor(a / b) b is not if a / b rounds to the
// next whole number.
template <class Real> WHORL_INLINE Real floored_remainder(Real a, Real b) {
    const Real rest = std::fmod(a, b);
    return rest != Real(0) && (rest < Real(0)) != (b < Real(0)) ? rest + b : rest;
}

// Applies DO(name, number of arguments, value) to every operation.
#define WHORL_OPERATIONS(DO)                                                                                 \
    DO(add, 2, a + b)                                                                                        \
    DO(subtract, 2, a - b)                                                                                   \
    DO(multiply, 2, a* b)                                                                                    \
    DO(divide, 2, a / b)                                                                                     \
    DO(multiply_add, 3, fused(a, b, c))                                                                      \
    DO(multiply_subtract, 3, fused(a, b, -c))                                                                \
    DO(subtract_product, 3, fused(-a, b, c))                                                                 \
    DO(add_products, 4, fused(a, b, c* d))                                                                   \
    DO(subtract_products, 4, fused(a, b, -(c * d)))                                                          \
    DO(power, 2, std::pow(a, b))                                                                             \
    DO(remainder, 2, floored_remainder(a, b))                                                                \
    DO(minimum, 2, a < b || a != a ? a : b)                                                                  \
    DO(maximum, 2, a > b || a != a ? a : b)                                                                  \
    DO(arctan2, 2, std::atan2(a, b))                                                                         \
    DO(less, 2, a < b ? Real(1) : Real(0))                                                                   \
    DO(less_equal, 2, a <= b ? Real(1) : Real(0))                                                            \
    DO(equal, 2, a == b ? Real(1) : Real(0))                                                                 \
    DO(where, 3, a != Real(0) ? b : c)                                                                       \
    DO(negative, 1, -a)                                                                                      \
    DO(abs, 1, std::abs(a))                                                                                  \
    DO(sign, 1, a != a ? a : Real(a > Real(0)) - Real(a < Real(0)))                                          \
    DO(sqrt, 1, std::sqrt(a))                                                                                \
    DO(exp, 1, std::exp(a))                                                                                  \
    DO(expm1, 1, std::expm1(a))                                                                              \
    DO(log, 1, std::log(a))                                                                                  \
    DO(log1p, 1, std::log1p(a))                                                                              \
    DO(log2, 1, std::log2(a))                                                                                \
    DO(log10, 1, std::log10(a))                                                                              \
    DO(sin, 1, std::sin(a))                                                                                  \
    DO(cos, 1, std::cos(a))                                                                                  \
    DO(tan, 1, std::tan(a))                                                                                  \
    DO(arcsin, 1, std::asin(a))                                                                              \
    DO(arccos, 1, std::acos(a))                                                                              \
    DO(arctan, 1, std::atan(a))                                                                              \
    DO(sinh, 1, std::sinh(a))                                                                                \
    DO(cosh, 1, std::cosh(a))                                                                                \
    DO(tanh, 1, std::tanh(a))                                                                                \
    DO(arcsinh, 1, std::asinh(a))                                                                            \
    DO(arccosh, 1, std::acosh(a))                                                                            \
    DO(arctanh, 1, std::atanh(a))                                                                            \
    DO(floor, 1, std::floor(a))                                                                              \
    DO(ceil, 1, std::ceil(a))                                                                                \
    DO(trunc, 1, std::trunc(a))                                                                              \
    DO(round, 1, std::rint(a))

#define WHORL_ENUMERATOR(name, arguments, value) name,
enum class Operation : std::uint8_t { WHORL_OPERATIONS(WHORL_ENUMERATOR) };
#undef WHORL_ENUMERATOR

inline constexpr std::size_t most_arguments = 4;

// The name of an operation, and its number of arguments.
struct OperationName {
    const char* name;
    int arguments;
};
#define WHORL_NAME(name, arguments, value) OperationName{#name, arguments},
inline constexpr std::array operation_names{WHORL_OPERATIONS(WHORL_NAME)};
#undef WHORL_NAME

// Formula<operation>::of(a, b, c, d) is its value.
template <Operation operation> struct Formula;
#define WHORL_FORMULA(name, arguments, value)                                                                \
    template <> struct Formula<Operation::name> {                                                            \
        template <class Real>                                                                                \
        static WHORL_INLINE Real of([[maybe_unused]] Real a, [[maybe_unused]] Real b,                        \
                                    [[maybe_unused]] Real c, [[maybe_unused]] Real d) {                      \
            return value;                                                                                    \
        }                                                                                                    \
    };
WHORL_OPERATIONS(WHORL_FORMULA)
#undef WHORL_FORMULA

// Calls f.operator()<operation>() for an operation that is known at run time.
template <class F> WHORL_INLINE void with_operation(Operation operation, const F& f) {
    switch (operation) {
#define WHORL_CASE(name, arguments, value)                                                                   \
    case Operation::name:                                                                                    \
        f.template operator()<Operation::name>();                                                            \
        break;
        WHORL_OPERATIONS(WHORL_CASE)
#undef WHORL_CASE
    }
}

} // namespace whorl::programs
