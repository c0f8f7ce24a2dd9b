// A toy for tests/core/test_toys.py: a kind of plan, which takes its lines one by one, from the last on, and transforms
// each by the sum as it is defined.
#include "device/line_plan.hpp"

namespace whorl::device {

namespace {
template <class Real> class BackwardsPlan final : public LinePlan<Real> {
  public:
    BackwardsPlan(LineShape shape, Direction direction)
        : LinePlan<Real>(shape), one_(LinePlan<Real>::make(LineKind::direct, of_one(shape), direction)) {}
    void execute(Complex<Real>* data, Complex<Real>* scratch) const override {
        for (int l = this->shape_.howmany - 1; l >= 0; --l)
            one_->execute(data + l * this->shape_.distance, scratch);
    }

  private:
    static LineShape of_one(LineShape shape) {
        shape.howmany = 1;
        return shape;
    }
    std::unique_ptr<LinePlan<Real>> one_;
};
} // namespace

template <class Real> std::unique_ptr<LinePlan<Real>> make_backwards_plan(LineShape shape, Direction direction) {
    return std::make_unique<BackwardsPlan<Real>>(shape, direction);
}
template std::unique_ptr<LinePlan<float>> make_backwards_plan(LineShape, Direction);
template std::unique_ptr<LinePlan<double>> make_backwards_plan(LineShape, Direction);

} // namespace whorl::device
