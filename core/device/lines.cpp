#include "device/lines.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/error.hpp"
#include "device/fftw_lines.hpp"
#include "device/lane_lines.hpp"

namespace whorl::device {

namespace {

template <class Real> class DirectLines final : public Lines<Real> {
  public:
    DirectLines(LineShape shape, Direction direction) : Lines<Real>(shape), direction_(direction) {
        const int turn = shape.basis == Basis::fourier ? shape.n : 4 * shape.n;
        for (int k = 0; k < turn; ++k) {
            const double phase = static_cast<int>(direction) * 2.0 * std::numbers::pi * k / turn;
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
    // What element j has to do with result k.
    Complex<double> factor(int j, int k) const {
        const long long n = this->shape_.n;
        if (this->shape_.basis == Basis::fourier) return roots_[static_cast<std::size_t>(1LL * j * k % n)];
        const bool back = direction_ == Direction::backward;
        const long long point = back ? k : j, mode = back ? j : k;
        const Complex<double> root = roots_[static_cast<std::size_t>(mode * (2 * point + 1) % (4 * n))];
        if (this->shape_.basis == Basis::cosine) return {back && mode == 0 ? 1.0 : 2.0 * root.re, 0.0};
        if (this->shape_.basis == Basis::odd) return {0.0, 2.0 * root.im};
        return {back ? 2.0 * root.im : -2.0 * root.im, 0.0};
    }

    Direction direction_;
    std::vector<Complex<double>> roots_; // of unity, of order n, or 4 n where angles are quarters
};

} // namespace

template <class Real> void Lines<Real>::zero_dropped(Complex<Real>* data) const {
    const Dropped dropped = shape_.dropped();
    for (int j = dropped.first; j < dropped.first + dropped.count; ++j)
        for (int l = 0; l < shape_.howmany; ++l)
            data[j * shape_.stride + l * shape_.distance] = {Real(0), Real(0)};
}

template <class Real>
void Lines<Real>::gather(const LineRow<Real>* from, Complex<Real>* data, RowsAhead<Real>,
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
void Lines<Real>::scatter(Complex<Real>* data, const LineRow<Real>* to, Complex<Real>* scratch) const {
    execute(data, scratch);
    for (int j = 0; j < shape_.n; ++j)
        std::copy_n(data + j * shape_.stride, std::min(to[j].length, shape_.howmany), to[j].data);
}

template <class Real>
std::unique_ptr<Lines<Real>> Lines<Real>::make(LineKind kind, LineShape shape, Direction direction) {
    if (kind == LineKind::direct) return std::make_unique<DirectLines<Real>>(shape, direction);
    if (kind == LineKind::own && shape.distance == 1 && shape.howmany >= LaneLines<Real>::half_lanes)
        return std::make_unique<LaneLines<Real>>(shape, direction);
    // Lines that are too few for whorl's own. What trials of FFTW come to differs from run to run, so none
    // are made unless it is asked for.
    if (kind == LineKind::own && !has_fftw()) return std::make_unique<DirectLines<Real>>(shape, direction);
    return fftw_lines<Real>(shape, direction, kind == LineKind::library);
}

template class Lines<float>;
template class Lines<double>;

namespace {
struct NamedKind {
    const char* name;
    LineKind kind;
};
constexpr NamedKind kinds[]{{"own", LineKind::own},
                            {"fftw", LineKind::library},
                            {"fftw-estimate", LineKind::estimated},
                            {"direct", LineKind::direct}};
} // namespace

LineKind parse_line_kind(const std::string& name) {
    for (const NamedKind& known : kinds)
        if (name == known.name) return known.kind;
    throw Error("lines = \"" + name + "\" is unknown; choose auto, own, fftw or direct.");
}

std::string name_of(LineKind kind) {
    for (const NamedKind& known : kinds)
        if (kind == known.kind) return known.name;
    return {};
}

} // namespace whorl::device
