// Everything that runs per mode or per point, compiled for a device: the promise that a model, a stepper or a
// kernel needs no change to run on a GPU. Nothing here is run.
#include "base/complex.hpp"
#include "base/exponential.hpp"
#include "fields/passes.hpp"
#include "measure/wave_function.hpp"
#include "models/boussinesq.hpp"
#include "models/ginzburg_landau.hpp"
#include "models/gross_pitaevskii.hpp"
#include "models/kinematic_dynamo.hpp"
#include "models/mhd.hpp"
#include "models/navier_stokes.hpp"
#include "models/navier_stokes_2d.hpp"
#include "models/quasi_static_mhd.hpp"
#include "models/rayleigh_benard.hpp"
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

// What a model runs per mode and per point; with a known plan and, where waves are exact, any.
template <template <class> class Model, class Real> void kernels_of_model() {
    using Pass = Tendency<Model<Real>, Real>;
    using Known = Update<Model<Real>, Real, KnownPlan<1, 3, true>, false, false>;
    using Exactly = Update<Model<Real>, Real, AnyPlan, false, true>;
    instantiate<kernels::Load<Real, Pass, true>>();
    instantiate<kernels::Points<Real, Pass>>();
    instantiate<kernels::Contract<Real, Pass>>();
    instantiate<kernels::Store<Real, Known, Pass::fluxes, true>>();
    if constexpr (Model<Real>::couples) instantiate<kernels::Store<Real, Exactly, Pass::fluxes, false>>();
}
template <class Real> using Turning = NavierStokes<Real, LinearTerms<Real>>;
template <class Real> using HallMhd = Mhd<Real, true>;
template <class Real> using OrdinaryMhd = Mhd<Real, false>;

template <class Real> void every_model() {
    kernels_of_model<Turning, Real>();
    kernels_of_model<NavierStokes2d, Real>();
    kernels_of_model<Boussinesq, Real>();
    kernels_of_model<RayleighBenard, Real>();
    kernels_of_model<OrdinaryMhd, Real>();
    kernels_of_model<HallMhd, Real>();
    kernels_of_model<KinematicDynamo, Real>();
    kernels_of_model<QuasiStaticMhd, Real>();
    kernels_of_model<GrossPitaevskii, Real>();
    kernels_of_model<GinzburgLandau, Real>();
    instantiate<kernels::Load<Real, FlowOfWaveFunction<Real>, false>>();
    instantiate<kernels::Points<Real, FlowOfWaveFunction<Real>>>();
}

template <class Real> void every_kernel() {
    using Pass = Tendency<NavierStokes<Real>, Real>;
    using Scalar = ScalarPart<NavierStokes<Real>, Real>;
    using First = Update<NavierStokes<Real>, Real, KnownPlan<1, 3, true>, false, false>;
    using Last = Update<NavierStokes<Real>, Real, AnyPlan, true, false>;
    using OfScalar = Update<typename Scalar::Scalar, Real, KnownPlan<1, 3, true>, false, false>;
    using Velocity = ReadField<Real, 3>;
    instantiate<kernels::Load<Real, Pass, true>>();
    instantiate<kernels::Load<Real, Velocity, false>>();
    instantiate<kernels::LoadPadding<Real>>();
    instantiate<kernels::Store<Real, First, Pass::fluxes, true>>();
    instantiate<kernels::Store<Real, Last, Pass::fluxes, false>>();
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
    instantiate<kernels::LoadReals<Real, Velocity>>();
    instantiate<kernels::StoreOfReals<Real, First, Pass::fluxes>>();
    instantiate<kernels::ContractReals<Real, Pass>>();
    instantiate<kernels::MergePairs<Real>>();
    instantiate<kernels::SeparatePairs<Real>>();
}

template void every_kernel<float>();
template void every_kernel<double>();
template void every_model<float>();
template void every_model<double>();

} // namespace
} // namespace whorl
