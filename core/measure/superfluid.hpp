// Energies of a wave function psi = r + i s, in units of density times velocity squared. With rho = |psi|^2
// and the velocity of the superfluid u = 2 alpha (r grad s - s grad r) / rho,
//
//   kinetic 1/2 <rho u^2>   quantum 2 alpha^2 <|grad sqrt rho|^2>   interaction alpha beta <(rho - rho0)^2>
//
// The kinetic energy is divided into that of the solenoidal (incompressible: vortices) and of the remaining
// part (compressible: sound) of sqrt(rho) u, each from the kept modes. At a vortex sqrt(rho) u is
// discontinuous, so that some of its energy is outside the kept modes: the total includes it, the two parts
// do not. Nore, Abid and Brachet, Phys. Fluids 9, 2644 (1997), section II.
#pragma once

#include <array>
#include <map>
#include <string>

#include "device/buffer.hpp"
#include "measure/state.hpp"
#include "models/stress.hpp"
#include "roundtrip/roundtrip.hpp"

namespace whorl {

// The constants of a wave function's model (models/gross_pitaevskii.hpp).
struct WaveConstants {
    double alpha, beta, rho0;
};

template <class Device, class Real> struct SuperfluidFlow {
    device::Buffer<Complex<Real>, typename Device::Memory> flow; // sqrt(rho) u
    double kinetic = 0.0, quantum = 0.0, interaction = 0.0;
};

// The variables of each of the three round trips that compute the flow of a wave function.
inline constexpr int inputs_of_wave_function = 4;
template <class Device, class Real>
SuperfluidFlow<Device, Real> superfluid_flow(RoundTrip<Device, Real>& trip, const ModeSet<Device, Real>& set,
                                             const WaveConstants& of, const Complex<Real>* psi);

// The statistics that the two functions below add; the first two also have spectra.
inline constexpr std::array superfluid_statistics{"kinetic_incompressible", "kinetic_compressible",
                                                  "quantum_energy", "interaction_energy", "energy"};

// 1/2 |w|^2 of the solenoidal part, or of the remaining part, of one mode.
template <class Real> struct KineticPart {
    FieldView<Real> flow;
    bool solenoidal;

    WHORL_INLINE double operator()(Mode<Real> mode) const {
        auto w = flow.template at<3>(mode), perpendicular = w;
        project(widened(mode.k), perpendicular.data());
        double sum = 0.0;
        for (std::size_t v = 0; v < 3; ++v) {
            const Complex<double> part = solenoidal ? perpendicular[v] : w[v] - perpendicular[v];
            sum += 0.5 * dot(part, part);
        }
        return sum;
    }
};
template <class Real> struct AddKineticParts {
    FieldView<Real> flow;

    WHORL_INLINE void operator()(Mode<Real> mode, double* values) const {
        values[0] += static_cast<double>(mode.weight) * KineticPart<Real>{flow, true}(mode);
        values[1] += static_cast<double>(mode.weight) * KineticPart<Real>{flow, false}(mode);
    }
};

template <class Device, class Real>
void add_superfluid_statistics(const ModeSet<Device, Real>& set, const SuperfluidFlow<Device, Real>& of,
                               std::map<std::string, double>& all) {
    const auto parts = reduce_modes(set, 2, 0, AddKineticParts<Real>{{of.flow.data(), set.table.modes()}});
    const double values[] = {parts[0], parts[1], of.quantum, of.interaction,
                             of.kinetic + of.quantum + of.interaction};
    for (std::size_t i = 0; i < superfluid_statistics.size(); ++i) all[superfluid_statistics[i]] = values[i];
}

template <class Device, class Real>
void add_superfluid_spectra(const ModeSet<Device, Real>& set, const SuperfluidFlow<Device, Real>& of,
                            std::map<std::string, std::vector<double>>& all) {
    for (const bool solenoidal : {true, false})
        all[superfluid_statistics[solenoidal ? 0 : 1]] =
            sum_shells(set, KineticPart<Real>{{of.flow.data(), set.table.modes()}, solenoidal});
}

} // namespace whorl
