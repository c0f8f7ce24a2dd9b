// Energies of a wave function psi = r + i s, in units of density times velocity squared. With rho = |psi|^2
// and the velocity of the superfluid u = 2 alpha (r grad s - s grad r) / rho,
//
//   kinetic 1/2 <rho u^2>   quantum 2 alpha^2 <|grad sqrt rho|^2>   interaction alpha beta <(rho - rho0)^2>
//
// and the kinetic one is that of the solenoidal (incompressible: vortices) and of the remaining part
// (compressible: sound) of sqrt(rho) u, each of the kept modes. At a vortex sqrt(rho) u jumps, so that some
// of its energy is beyond them: the total has it, its two parts have not. Nore, Abid and Brachet, Phys.
// Fluids 9, 2644 (1997), section II.
#pragma once

#include "device/buffer.hpp"
#include "measure/state.hpp"
#include "models/stress.hpp"
#include "roundtrip/run.hpp"

namespace whorl {

template <class Model>
concept IsWaveFunction = requires(const Model& model) { model.alpha + model.beta + model.rho0; };

// Of one axis: the modes of sqrt(rho) u along it, and means over the points, which are the modes k = 0 of
// what is averaged.
template <class Real> struct FlowOfWaveFunction : PassDefaults<Real> {
    static constexpr int inputs = 4, products = 4, fluxes = 4;
    static constexpr int means = 3; // kinetic, quantum, interaction

    Real alpha, beta, rho0;
    int axis;
    const Complex<Real>* psi;
    std::int64_t modes;
    Complex<Real>* flow;
    double* mean;

    WHORL_INLINE void load(Mode<Real> mode, Complex<Real>* in) const {
        const Real k = axis == 0 ? mode.k.x : (axis == 1 ? mode.k.y : mode.k.z);
        const Complex<Real> r = psi[mode.index], s = psi[modes + mode.index];
        in[0] = r;
        in[1] = s;
        in[2] = times_i(k * r);
        in[3] = times_i(k * s);
    }
    WHORL_INLINE void point(Point, const Real* in, Real* out) const {
        constexpr Real smallest = sizeof(Real) == 8 ? Real(1e-200) : Real(1e-30);
        const Real r = in[0], s = in[1], rho = r * r + s * s;
        const Real inverse_root = Real(1) / std::sqrt(rho > smallest ? rho : smallest);
        const Real along = 2 * alpha * inverse_root * (r * in[3] - s * in[2]);
        const Real slope = 2 * alpha * inverse_root * (r * in[2] + s * in[3]);
        out[0] = along;
        out[1] = along * along / 2;
        out[2] = slope * slope / 2;
        out[3] = alpha * beta * (rho - rho0) * (rho - rho0);
    }
    WHORL_INLINE void contract(Real, Real, const Complex<Real>* p, Complex<Real>* f) const {
        for (int v = 0; v < fluxes; ++v) f[v] = p[v];
    }
    WHORL_INLINE void store(Mode<Real> mode, const Complex<Real>* f) const {
        flow[axis * modes + mode.index] = f[0];
        if (square(mode.k) == Real(0))
            for (int m = 0; m < means; ++m) mean[m] = static_cast<double>(f[1 + m].re);
    }
};

template <class Real> struct SuperfluidFlow {
    device::Buffer<Complex<Real>> flow; // sqrt(rho) u
    double kinetic = 0.0, quantum = 0.0, interaction = 0.0;
};

template <class Real, class Model>
SuperfluidFlow<Real> superfluid_flow(RoundTrip<Real>& trip, const ModeSet<Real>& set, const Model& model,
                                     const Complex<Real>* psi) {
    const std::int64_t modes = set.table.modes();
    SuperfluidFlow<Real> result;
    result.flow = device::Buffer<Complex<Real>>(static_cast<std::size_t>(3 * modes));
    trip.shift({0.0, 0.0, 0.0});
    for (int axis = 0; axis < 3; ++axis) {
        std::array<double, 3> mean{};
        FlowOfWaveFunction<Real> pass;
        pass.alpha = model.alpha;
        pass.beta = model.beta;
        pass.rho0 = model.rho0;
        pass.axis = axis;
        pass.psi = psi;
        pass.modes = modes;
        pass.flow = result.flow.data();
        pass.mean = mean.data();
        trip.run(pass);
        set.world.sum(mean);
        result.kinetic += mean[0];
        result.quantum += mean[1];
        result.interaction = mean[2];
    }
    return result;
}

// 1/2 |w|^2 of the solenoidal part, or of the rest, of one mode.
template <class Real> double kinetic_part(const FieldView<Real>& flow, Mode<Real> mode, bool solenoidal) {
    auto w = flow.template at<3>(mode), perpendicular = w;
    project(widened(mode.k), perpendicular.data());
    double sum = 0.0;
    for (std::size_t v = 0; v < 3; ++v) {
        const Complex<double> part = solenoidal ? perpendicular[v] : w[v] - perpendicular[v];
        sum += 0.5 * dot(part, part);
    }
    return sum;
}

template <class Real>
void add_superfluid_statistics(const ModeSet<Real>& set, const SuperfluidFlow<Real>& of, Statistics& all) {
    const FieldView<Real> flow{of.flow.data(), set.table.modes()};
    const auto parts = reduce_modes(set, 2, 0, [&](Mode<Real> mode, double* values) {
        for (const bool solenoidal : {true, false})
            values[solenoidal ? 0 : 1] +=
                static_cast<double>(mode.weight) * kinetic_part(flow, mode, solenoidal);
    });
    all["kinetic_incompressible"] = parts[0];
    all["kinetic_compressible"] = parts[1];
    all["quantum_energy"] = of.quantum;
    all["interaction_energy"] = of.interaction;
    all["energy"] = of.kinetic + of.quantum + of.interaction;
}

template <class Real>
void add_superfluid_spectra(const ModeSet<Real>& set, const SuperfluidFlow<Real>& of, SpectraByName& all) {
    const FieldView<Real> flow{of.flow.data(), set.table.modes()};
    for (const bool solenoidal : {true, false})
        all[solenoidal ? "kinetic_incompressible" : "kinetic_compressible"] =
            sum_shells(set, [&](Mode<Real> mode) { return kinetic_part(flow, mode, solenoidal); });
}

} // namespace whorl
