// Everything that runs per mode or per point, compiled for a device: the promise that a model, a stepper or a
// kernel needs no change to run on a GPU. Nothing here is run.
#include "base/complex.hpp"
#include "base/exponential.hpp"
#include "fields/physical.hpp"
#include "models/navier_stokes.hpp"
#include "roundtrip/kernels.hpp"
#include "roundtrip/line_kernels.hpp"
#include "roundtrip/wall_kernels.hpp"
#include "steppers/tendency.hpp"

namespace whorl {
namespace {

// Every element of every row of a kernel: a block takes a row, its threads the elements.
template <class Kernel> __global__ void run_rows(Kernel kernel) {
    const auto row = kernel.row(blockIdx.x);
    for (int i = static_cast<int>(threadIdx.x); i < row.length; i += static_cast<int>(blockDim.x)) row(i);
}

template <class Kernel> void instantiate() {
    [[maybe_unused]] void (*const launched)(Kernel) = &run_rows<Kernel>;
}

template <class Real> void every_kernel() {
    using Pass = Tendency<NavierStokes<Real>, Real>;
    using Turning = NavierStokes<Real, LinearTerms<Real>>;
    using Scalar = ScalarPart<NavierStokes<Real>, Real>;
    using First = Update<NavierStokes<Real>, Real, KnownPlan<1, 3, true>, false, false>;
    using Last = Update<NavierStokes<Real>, Real, AnyPlan, true, false>;
    using Exactly = Update<Turning, Real, KnownPlan<1, 3, true>, false, true>;
    using OfScalar = Update<typename Scalar::Scalar, Real, KnownPlan<1, 3, true>, false, false>;
    using Velocity = ReadField<Real, 3>;
    instantiate<kernels::Load<Real, Pass, true>>();
    instantiate<kernels::Load<Real, Velocity, false>>();
    instantiate<kernels::LoadPadding<Real>>();
    instantiate<kernels::Store<Real, First, Pass::fluxes, true>>();
    instantiate<kernels::Store<Real, Last, Pass::fluxes, false>>();
    instantiate<kernels::Store<Real, Exactly, 4, false>>();
    instantiate<kernels::Store<Real, OfScalar, 2, false>>();
    instantiate<kernels::Store<Real, WriteField<Real, 3>, 3, false>>();
    instantiate<kernels::Load<Real, Scalar, false>>();
    instantiate<kernels::PartPoints<Real, Scalar>>();
    instantiate<kernels::Spread<Real>>();
    instantiate<kernels::SpreadPadding<Real>>();
    instantiate<kernels::Contract<Real, Pass>>();
    instantiate<kernels::MoveRows<Real, true>>();
    instantiate<kernels::MoveRows<Real, false>>();
    instantiate<kernels::Merge<Real>>();
    instantiate<kernels::MergeMean<Real>>();
    instantiate<kernels::MergePadding<Real>>();
    instantiate<kernels::Points<Real, Pass>>();
    instantiate<kernels::Points<Real, Velocity>>();
    instantiate<kernels::BlockPoints<Real, Pass>>();
    instantiate<kernels::BlockPadding<Real>>();
    instantiate<kernels::Mirror<Real>>();
    instantiate<kernels::Separate<Real>>();
    instantiate<kernels::LoadWalls<Real, Pass>>();
    instantiate<kernels::LoadPairs<Real, Velocity>>();
    instantiate<kernels::StoreOfPairs<Real, First, Pass::fluxes>>();
    instantiate<kernels::ContractWalls<Real, Pass>>();
    instantiate<kernels::ContractPairs<Real, Pass>>();
    instantiate<kernels::MergePairs<Real>>();
    instantiate<kernels::SeparatePairs<Real>>();
}

template void every_kernel<float>();
template void every_kernel<double>();

} // namespace
} // namespace whorl
