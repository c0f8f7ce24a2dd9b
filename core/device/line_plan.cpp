#include "device/line_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/choice.hpp"
#include "device/lane_plan.hpp"

namespace whorl::device {

namespace {

template <class Real> class DirectPlan final : public LinePlan<Real> {
  public:
    DirectPlan(LineShape shape, Direction direction) : LinePlan<Real>(shape), direction_(direction) {
        const int circle = traits_of(shape.basis).walled ? 4 * shape.n : shape.n;
        for (int k = 0; k < circle; ++k) {
            const double phase = static_cast<int>(direction) * 2.0 * std::numbers::pi * k / circle;
            roots_.push_back({std::cos(phase), std::sin(phase)});
        }
    }

    void execute(Complex<Real>* data, Complex<Real>*) const override {
        if (direction_ == Direction::backward) this->zero_dropped(data);
        const LineShape& shape = this->shape_;
        const int n = shape.n;
        std::vector<Complex<double>> sums(static_cast<std::size_t>(n));
        for (int l = 0; l < shape.howmany; ++l) {
            Complex<Real>* const line = data + l * shape.distance;
            for (int k = 0; k < n; ++k) {
                Complex<double> sum{0.0, 0.0};
                for (int j = 0; j < n; ++j) {
                    const Complex<Real> x = line[j * shape.stride];
                    sum = sum + factor(j, k) * Complex<double>{x.re, x.im};
                }
                sums[static_cast<std::size_t>(k)] = sum;
            }
            for (int k = 0; k < n; ++k) {
                const Complex<double> sum = sums[static_cast<std::size_t>(k)];
                line[k * shape.stride] = {static_cast<Real>(sum.re), static_cast<Real>(sum.im)};
            }
        }
    }

  private:
    // The factor of element j in result k.
    Complex<double> factor(int j, int k) const {
        const long long n = this->shape_.n;
        const auto [walled, sine, i_power] = traits_of(this->shape_.basis);
        if (!walled) return roots_[static_cast<std::size_t>(1LL * j * k % n)];
        const bool back = direction_ == Direction::backward;
        const long long point = back ? k : j, mode = back ? j : k;
        const Complex<double> root = roots_[static_cast<std::size_t>(mode * (2 * point + 1) % (4 * n))];
        const double real = sine                ? static_cast<int>(direction_) * 2.0 * root.im
                            : back && mode == 0 ? 1.0
                                                : 2.0 * root.re;
        const double power = -static_cast<int>(direction_) * i_power;
        return {i_power == 0 ? real : 0.0, power * real};
    }

    Direction direction_;
    std::vector<Complex<double>> roots_; // of unity, of order n, or 4 n between walls
};

} // namespace

template <class Real> void LinePlan<Real>::zero_dropped(Complex<Real>* data) const {
    const Dropped dropped = shape_.dropped();
    for (int j = dropped.first; j < dropped.first + dropped.count; ++j)
        for (int l = 0; l < shape_.howmany; ++l)
            data[j * shape_.stride + l * shape_.distance] = {Real(0), Real(0)};
}

template <class Real>
void LinePlan<Real>::gather(const LineRow<Real>* from, Complex<Real>* data, RowsAhead<Real>,
                            Complex<Real>* scratch) const {
    for (int j = 0; j < shape_.n; ++j) {
        Complex<Real>* const row = data + j * shape_.stride;
        const int length = std::min(from[j].length, shape_.howmany);
        std::copy_n(from[j].data, length, row);
        std::fill(row + length, row + shape_.howmany, Complex<Real>{0, 0});
    }
    execute(data, scratch);
}

template <class Real>
void LinePlan<Real>::scatter(Complex<Real>* data, const LineRow<Real>* to, Complex<Real>* scratch) const {
    execute(data, scratch);
    for (int j = 0; j < shape_.n; ++j)
        std::copy_n(data + j * shape_.stride, std::min(to[j].length, shape_.howmany), to[j].data);
}

// The kinds of plan, a line each, in the order of LineKind: the name, and the function that makes a plan.
// Kinds after the last of LineKind are known only by their names.
// clang-format off
#define WHORL_LINE_KINDS(of) \
    of("own", make_own_plan) \
    of("fftw", make_library_plan) \
    of("direct", make_direct_plan) \
    of("fftw-estimate", make_estimated_plan) \
    // end of the list
// clang-format on

#define WHORL_DECLARE(name, make)                                                                            \
    template <class Real> std::unique_ptr<LinePlan<Real>> make(LineShape shape, Direction direction);
WHORL_LINE_KINDS(WHORL_DECLARE)
#undef WHORL_DECLARE

template <class Real> std::unique_ptr<LinePlan<Real>> make_direct_plan(LineShape shape, Direction direction) {
    return std::make_unique<DirectPlan<Real>>(shape, direction);
}
// The outcome of FFTW's trials differs from run to run, so they are made only where they are asked for.
template <class Real>
std::unique_ptr<LinePlan<Real>> make_library_plan(LineShape shape, Direction direction) {
    return make_fftw_plan<Real>(shape, direction, true);
}
template <class Real>
std::unique_ptr<LinePlan<Real>> make_estimated_plan(LineShape shape, Direction direction) {
    return make_fftw_plan<Real>(shape, direction, false);
}
template <class Real> std::unique_ptr<LinePlan<Real>> make_own_plan(LineShape shape, Direction direction) {
    if (shape.distance == 1 && shape.howmany >= LanePlan<Real>::half_lanes)
        return std::make_unique<LanePlan<Real>>(shape, direction);
    // The lines are too few, or do not lie side by side.
    return has_fftw() ? make_estimated_plan<Real>(shape, direction)
                      : make_direct_plan<Real>(shape, direction);
}

namespace {
template <class Real> struct NamedPlan {
    const char* name;
    std::unique_ptr<LinePlan<Real>> (*make)(LineShape shape, Direction direction);
};
#define WHORL_ENTRY(name, make) NamedPlan<Real>{name, make<Real>},
template <class Real> constexpr NamedPlan<Real> kinds[]{WHORL_LINE_KINDS(WHORL_ENTRY)};
#undef WHORL_ENTRY
} // namespace

template <class Real>
std::unique_ptr<LinePlan<Real>> LinePlan<Real>::make(LineKind kind, LineShape shape, Direction direction) {
    return kinds<Real>[static_cast<std::size_t>(kind)].make(shape, direction);
}

template class LinePlan<float>;
template class LinePlan<double>;

LineKind parse_line_kind(const std::string& name) {
    for (std::size_t kind = 0; kind < std::size(kinds<double>); ++kind)
        if (name == kinds<double>[kind].name) return static_cast<LineKind>(kind);
    throw Error("lines = \"" + name + "\" is unknown; choose one of auto, " +
                listed(kinds<double>, ", ", &NamedPlan<double>::name) + ".");
}

std::string name_of(LineKind kind) { return kinds<double>[static_cast<std::size_t>(kind)].name; }

} // namespace whorl::device
