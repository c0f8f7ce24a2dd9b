// A few steps on 16^3 points without Python, for processors that are emulated (tools/portable-check):
// Taylor-Green vortices and a random field, whose energies and dissipations it prints with all digits.
#include <cmath>
#include <cstdio>
#include <exception>
#include <numbers>

#include "flow/flow.hpp"

namespace {

using namespace whorl;

Options options(const std::string& precision) {
    Options made;
    made.precision = precision;
    made.points = {16, 16, 16};
    made.lengths.fill(2.0 * std::numbers::pi);
    made.threads = 2;
    made.scheme =
        Scheme("midpoint",
               {{{{1.0, 0.0}, {1.0, 0.0}}, {0.5, 0.0}, 0.5}, {{{0.0, 1.0}, {0.0, 0.0}}, {1.0, 0.0}, 0.5}}, 0);
    for (const char* name :
         {"hyperviscosity", "hyperviscosity_power", "hypoviscosity", "hypoviscosity_power", "drag",
          "rotation_x", "rotation_y", "rotation_z", "mean_velocity_x", "mean_velocity_y", "mean_velocity_z"})
        made.parameters[name] = 0.0;
    made.parameters["viscosity"] = 0.05;
    return made;
}

template <class Real> void taylor_green(const PhysicalBlock& block, void* data) {
    auto* value = static_cast<Real*>(data);
    const auto at = [](int i) { return 2.0 * std::numbers::pi * i / 16; };
    for (int component = 0; component < 3; ++component)
        for (int z = block.z.begin; z < block.z.end; ++z)
            for (int y = block.y.begin; y < block.y.end; ++y)
                for (int x = 0; x < block.nx; ++x) {
                    const double u = std::sin(at(x)) * std::cos(at(y)) * std::cos(at(z));
                    const double v = -std::cos(at(x)) * std::sin(at(y)) * std::cos(at(z));
                    *value++ = static_cast<Real>(component == 0 ? u : component == 1 ? v : 0.0);
                }
}

void run(const char* name, const std::string& precision, bool random) {
    const auto flow = make_flow(options(precision), exchange::mpi::alone);
    if (random)
        flow->set_random("velocity", {0.0, 0.2, 0.2, 0.1}, 1);
    else
        flow->set_physical(
            "velocity",
            [&](const PhysicalBlock& block, int, void* data) {
                precision == "double" ? taylor_green<double>(block, data) : taylor_green<float>(block, data);
            },
            true);
    for (int step = 0; step < 20; ++step) flow->step({0.05, 0.0, 0.05, 0.05 * step}, step);
    for (const char* number : {"energy", "dissipation"})
        std::printf("%s %s %s %.17g\n", name, precision.c_str(), number, flow->statistics().at(number));
    flow->close();
}

} // namespace

int main() try {
    for (const char* precision : {"double", "single"}) {
        run("taylor-green", precision, false);
        run("random", precision, true);
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "small_run: %s\n", error.what());
    return 1;
}
