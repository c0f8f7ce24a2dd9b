#include <fftw3.h>

#include "base/error.hpp"
#include "device/buffer.hpp"
#include "device/line_plan.hpp"

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

template <class Real> class FftwPlan final : public LinePlan<Real> {
    using Api = Fftw<Real>;
    using Value = typename Api::Value;

  public:
    FftwPlan(LineShape shape, Direction direction, unsigned effort)
        : LinePlan<Real>(shape), direction_(direction) {
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
    ~FftwPlan() override { Api::destroy(plan_); }
    FftwPlan(const FftwPlan&) = delete;
    FftwPlan& operator=(const FftwPlan&) = delete;

    void execute(Complex<Real>* data, Complex<Real>*) const override {
        if (direction_ == Direction::backward) this->zero_dropped(data);
        auto* const values = reinterpret_cast<Value*>(data);
        Api::execute(plan_, values, values);
    }

  private:
    Direction direction_;
    typename Api::Plan plan_;
};

// Cosine and sine lines: twice as many real lines, of the real and the imaginary parts.
template <class Real> class FftwWallPlan final : public LinePlan<Real> {
    using Api = Fftw<Real>;

  public:
    FftwWallPlan(LineShape shape, Direction direction, unsigned effort)
        : LinePlan<Real>(shape), direction_(direction) {
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
    ~FftwWallPlan() override { Api::destroy(plan_); }
    FftwWallPlan(const FftwWallPlan&) = delete;
    FftwWallPlan& operator=(const FftwWallPlan&) = delete;

    // FFTW numbers sines from 1: its element j is mode j + 1.
    void execute(Complex<Real>* data, Complex<Real>*) const override {
        const int n = this->shape_.n, before = sine() ? 1 : 0;
        const bool moves = sine() || traits_of(this->shape_.basis).i_power != 0;
        auto* const parts = reinterpret_cast<typename Api::Part*>(data);
        if (direction_ == Direction::backward) {
            this->zero_dropped(data);
            for (int j = before; moves && j < n; ++j) move(data, j, j - before);
            if (sine()) move(data, -1, n - 1);
        }
        Api::execute_parts(plan_, parts, parts);
        if (direction_ == Direction::forward) {
            for (int j = n - 1; moves && j >= before; --j) move(data, j - before, j);
            if (sine()) move(data, -1, 0);
        }
    }

  private:
    bool sine() const { return traits_of(this->shape_.basis).sine; }
    // Sets element `to` of every line to element `from`, turned, or to 0 where that is -1.
    void move(Complex<Real>* data, int from, int to) const {
        const LineShape& shape = this->shape_;
        for (int l = 0; l < shape.howmany; ++l) {
            Complex<Real>* const line = data + l * shape.distance;
            line[to * shape.stride] = from < 0 ? Complex<Real>{0, 0} : turned(line[from * shape.stride]);
        }
    }
    // A value times i^i_power forward, times i^-i_power backward.
    Complex<Real> turned(Complex<Real> value) const {
        const int power = -static_cast<int>(direction_) * traits_of(this->shape_.basis).i_power;
        return power == 0 ? value : power < 0 ? times_minus_i(value) : times_i(value);
    }
    Direction direction_;
    typename Api::Plan plan_;
};

} // namespace

bool has_fftw() { return true; }

std::string fftw_version() { return ::fftw_version; }

template <class Real>
std::unique_ptr<LinePlan<Real>> make_fftw_plan(LineShape shape, Direction direction, bool tries) {
    if (traits_of(shape.basis).walled)
        return std::make_unique<FftwWallPlan<Real>>(shape, direction, tries ? FFTW_MEASURE : FFTW_ESTIMATE);
    return std::make_unique<FftwPlan<Real>>(shape, direction, tries ? FFTW_PATIENT : FFTW_ESTIMATE);
}

template std::unique_ptr<LinePlan<float>> make_fftw_plan(LineShape, Direction, bool);
template std::unique_ptr<LinePlan<double>> make_fftw_plan(LineShape, Direction, bool);

} // namespace whorl::device
