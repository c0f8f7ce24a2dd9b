#include "device/fftw_lines.hpp"

#include <fftw3.h>

#include "base/error.hpp"
#include "device/buffer.hpp"

namespace whorl::device {

namespace {

template <class Real> struct Fftw;
template <> struct Fftw<double> {
    using Plan = fftw_plan;
    using Value = fftw_complex;
    using Part = double;
    using Dimension = fftw_iodim;
    static constexpr auto plan_parts = fftw_plan_guru_r2r;
    static constexpr auto execute_parts = fftw_execute_r2r;
    static constexpr auto plan_many = fftw_plan_many_dft;
    static constexpr auto execute = fftw_execute_dft;
    static constexpr auto destroy = fftw_destroy_plan;
};
template <> struct Fftw<float> {
    using Plan = fftwf_plan;
    using Value = fftwf_complex;
    using Part = float;
    using Dimension = fftwf_iodim;
    static constexpr auto plan_parts = fftwf_plan_guru_r2r;
    static constexpr auto execute_parts = fftwf_execute_r2r;
    static constexpr auto plan_many = fftwf_plan_many_dft;
    static constexpr auto execute = fftwf_execute_dft;
    static constexpr auto destroy = fftwf_destroy_plan;
};

template <class Real> class FftwLines final : public Lines<Real> {
    using Api = Fftw<Real>;
    using Value = typename Api::Value;

  public:
    FftwLines(LineShape shape, Direction direction, unsigned effort)
        : Lines<Real>(shape), direction_(direction) {
        Buffer<Complex<Real>> scratch(static_cast<std::size_t>(shape.extent()));
        auto* const data = reinterpret_cast<Value*>(scratch.data());
        const int sign = static_cast<int>(direction);
        const int stride = static_cast<int>(shape.stride);
        const int distance = static_cast<int>(shape.distance);
        plan_ = Api::plan_many(1, &shape.n, shape.howmany, data, nullptr, stride, distance, data, nullptr,
                               stride, distance, sign, effort);
        WHORL_REQUIRE(plan_ != nullptr, "FFTW made no plan for " + std::to_string(shape.howmany) +
                                            " lines of " + std::to_string(shape.n) + " points.");
    }
    ~FftwLines() override { Api::destroy(plan_); }
    FftwLines(const FftwLines&) = delete;
    FftwLines& operator=(const FftwLines&) = delete;

    void execute(Complex<Real>* data, Complex<Real>*) const override {
        if (direction_ == Direction::backward) this->zero_dropped(data);
        auto* const values = reinterpret_cast<Value*>(data);
        Api::execute(plan_, values, values);
    }

  private:
    Direction direction_;
    typename Api::Plan plan_;
};

// Cosine and sine lines: twice as many real ones, the real and the imaginary parts.
template <class Real> class FftwWallLines final : public Lines<Real> {
    using Api = Fftw<Real>;

  public:
    FftwWallLines(LineShape shape, Direction direction, unsigned effort)
        : Lines<Real>(shape), direction_(direction) {
        Buffer<Complex<Real>> scratch(static_cast<std::size_t>(shape.extent()));
        auto* const data = reinterpret_cast<typename Api::Part*>(scratch.data());
        const int stride = 2 * static_cast<int>(shape.stride),
                  distance = 2 * static_cast<int>(shape.distance);
        const typename Api::Dimension line{shape.n, stride, stride};
        const typename Api::Dimension lines[2]{{shape.howmany, distance, distance}, {2, 1, 1}};
        const bool back = direction == Direction::backward;
        const fftw_r2r_kind kind =
            sine() ? (back ? FFTW_RODFT01 : FFTW_RODFT10) : (back ? FFTW_REDFT01 : FFTW_REDFT10);
        plan_ = Api::plan_parts(1, &line, 2, lines, data, data, &kind, effort);
        WHORL_REQUIRE(plan_ != nullptr, "FFTW made no plan for " + std::to_string(shape.howmany) +
                                            " cosine or sine lines of " + std::to_string(shape.n) +
                                            " points.");
    }
    ~FftwWallLines() override { Api::destroy(plan_); }
    FftwWallLines(const FftwWallLines&) = delete;
    FftwWallLines& operator=(const FftwWallLines&) = delete;

    // FFTW numbers sines from 1: its element is the one after ours.
    void execute(Complex<Real>* data, Complex<Real>*) const override {
        const int n = this->shape_.n;
        auto* const parts = reinterpret_cast<typename Api::Part*>(data);
        if (direction_ == Direction::backward) {
            this->zero_dropped(data);
            for (int j = 1; sine() && j < n; ++j) move(data, j, j - 1);
            if (sine()) move(data, -1, n - 1);
        }
        Api::execute_parts(plan_, parts, parts);
        if (direction_ == Direction::forward && sine()) {
            for (int j = n - 1; j > 0; --j) move(data, j - 1, j);
            move(data, -1, 0);
        }
    }

  private:
    bool sine() const { return this->shape_.basis == Basis::sine || this->shape_.basis == Basis::odd; }
    // Element `to` of every line becomes element `from`, or 0 where that is -1.
    void move(Complex<Real>* data, int from, int to) const {
        const LineShape& shape = this->shape_;
        for (int l = 0; l < shape.howmany; ++l) {
            Complex<Real>* const line = data + l * shape.distance;
            line[to * shape.stride] = from < 0 ? Complex<Real>{0, 0} : turned(line[from * shape.stride]);
        }
    }
    // Of an odd line: -i forward, i backward.
    Complex<Real> turned(Complex<Real> value) const {
        if (this->shape_.basis == Basis::sine) return value;
        return direction_ == Direction::forward ? Complex<Real>{value.im, -value.re}
                                                : Complex<Real>{-value.im, value.re};
    }
    Direction direction_;
    typename Api::Plan plan_;
};

} // namespace

bool has_fftw() { return true; }

std::string fftw_version() { return ::fftw_version; }

template <class Real>
std::unique_ptr<Lines<Real>> fftw_lines(LineShape shape, Direction direction, bool tries) {
    if (shape.basis != Basis::fourier)
        return std::make_unique<FftwWallLines<Real>>(shape, direction, tries ? FFTW_MEASURE : FFTW_ESTIMATE);
    return std::make_unique<FftwLines<Real>>(shape, direction, tries ? FFTW_PATIENT : FFTW_ESTIMATE);
}

template std::unique_ptr<Lines<float>> fftw_lines(LineShape, Direction, bool);
template std::unique_ptr<Lines<double>> fftw_lines(LineShape, Direction, bool);

} // namespace whorl::device
