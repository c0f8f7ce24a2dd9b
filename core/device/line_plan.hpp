// Batched one-dimensional complex transforms, in place and unscaled:
//   X_k = sum_j x_j exp(sign 2 pi i j k / n),  sign = -1 forward, +1 backward.
// Or, for real and imaginary parts alike, with t = pi k (j + 1/2) / n,
//   cosine   X_k = 2 sum_j x_j cos t forward,  x_j = X_0 + 2 sum_{k>0} X_k cos t backward.
//   sine     X_k = 2 sum_j x_j sin t forward,  x_j = 2 sum_{k>0} X_k sin t backward, X_0 = 0.
//   odd      the same with X_k the Fourier coefficients of the odd extension, -i times those of sines.
// Element j of line l is at data[j * stride + l * distance]. Plans are made by lane_plan, row_plan,
// block_plan and fftw_plan.
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>

#include "base/complex.hpp"

namespace whorl::device {

enum class Direction { forward = -1, backward = +1 };
// `own` uses whorl's own plans (lane_plan.hpp, block_plan.hpp) where they apply, otherwise those of the
// device's library, FFTW or cuFFT. `library` uses only the library. `direct` is the slow sum above, the
// reference in tests of the fast lines. `estimated` is FFTW without trials to find the fastest plan. If whorl
// is built without FFTW, `own` uses the sum in its place.
enum class LineKind { own, library, direct, estimated };

enum class Basis { fourier, cosine, sine, odd };
// The bases, a line each, in the order of Basis. Between walls they are cosine or sine lines, whose modes are
// i^i_power times those of the definition above.
struct BasisTraits {
    bool walled, sine;
    int i_power;
};
inline constexpr BasisTraits basis_table[]{
    {false, false, 0}, // Fourier
    {true, false, 0},  // cosine
    {true, true, 0},   // sine
    {true, true, -1},  // odd
};
inline constexpr std::size_t basis_count = std::size(basis_table);
constexpr const BasisTraits& traits_of(Basis basis) { return basis_table[static_cast<std::size_t>(basis)]; }

// Elements first, ..., first + count - 1 of a line.
struct Dropped {
    int first = 0, count = 0;
    WHORL_INLINE bool has(int j) const {
        return static_cast<unsigned>(j - first) < static_cast<unsigned>(count);
    }
};

struct LineShape {
    int n;
    int howmany;
    std::int64_t stride, distance;
    // The modes of a line that are kept: j < kept, and those that represent -j (n - j of a Fourier line); 0:
    // all. A backward transform reads the others as zero, a forward one leaves them undefined.
    int kept = 0;
    Basis basis = Basis::fourier;
    bool past_caches = false; // scatter() writes past the caches, for values that are not read soon
    // Elements from the first to one past the last.
    std::int64_t extent() const { return (n - 1) * stride + (howmany - 1) * distance + 1; }
    Dropped dropped() const {
        if (kept == 0) return {};
        return {kept, traits_of(basis).walled ? n - kept : n - 2 * kept + 1};
    }
};

// Element j of lines that lie side by side: `length` lines from `data` on. Lines past the length are zero
// when read and dropped when written.
template <class Real> struct LineRow {
    Complex<Real>* data = nullptr;
    int length = 0;
};
// Rows to fetch, in the order in which they are read; rows of no length are skipped.
template <class Real> using RowsAhead = std::span<const LineRow<Real>>;

template <class Real> class LinePlan {
  public:
    explicit LinePlan(LineShape shape) : shape_(shape) {}
    virtual ~LinePlan() = default;
    const LineShape& shape() const { return shape_; }

    // Complex numbers of scratch memory that lines of n points may need.
    static std::int64_t scratch(int n) { return n * (2 * 64 / static_cast<std::int64_t>(sizeof(Real)) + 1); }

    // data and scratch must be 64-byte aligned, as every Buffer is.
    virtual void execute(Complex<Real>* data, Complex<Real>* scratch) const = 0;
    // Transforms lines side by side (distance 1) from n rows anywhere to `data`. `next` are rows the caller
    // reads after these: a plan may fetch them meanwhile.
    virtual void gather(const LineRow<Real>* from, Complex<Real>* data, RowsAhead<Real> next,
                        Complex<Real>* scratch) const;
    // Transforms from `data`, which is overwritten, to n rows anywhere.
    virtual void scatter(Complex<Real>* data, const LineRow<Real>* to, Complex<Real>* scratch) const;

    static std::unique_ptr<LinePlan> make(LineKind kind, LineShape shape, Direction direction);

  protected:
    void zero_dropped(Complex<Real>* data) const;
    LineShape shape_;
};

// "own", "fftw", "fftw-estimate", "direct"; throws Error listing the names.
LineKind parse_line_kind(const std::string& name);
std::string name_of(LineKind kind);

// The version of FFTW; "none" if whorl is built without it.
std::string fftw_version();

// Lines of any shape and basis by FFTW.

// False where whorl was built without it; make_fftw_plan() then throws Error.
bool has_fftw();

// Makes a plan by FFTW. With `tries`, FFTW finds the fastest plan by trials, which need long.
template <class Real>
std::unique_ptr<LinePlan<Real>> make_fftw_plan(LineShape shape, Direction direction, bool tries);

} // namespace whorl::device
