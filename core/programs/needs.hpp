// The needs of the programs and probes of a case, as far as they are known before a run. Their memory is
// computed from these numbers (programs/memory.hpp).
#pragma once

#include <array>
#include <cstdint>

namespace whorl::programs {

// One run of a program (programs/evaluate.hpp, or programs/evaluate.hpp), or of sums over the modes
// (programs/evaluate.hpp).
struct ProgramNeeds {
    std::int64_t inputs = 0, products = 0; // that travel; without inputs no round trip is made
    std::int64_t fluxes = 0;               // of the products (programs/program.hpp)
    std::int64_t product_fields = 0;       // those that products become
    std::int64_t kept = 0;                 // fields of the runs before it
    std::int64_t forces = 0;               // components of forces in memory
    std::int64_t of_rows = 0;              // means and maxima
    std::int64_t values = 0;               // at the points
    std::int64_t histogram_operands = 0;
    std::int64_t cells = 0;              // of histograms
    std::int64_t sums = 0;               // of weights, by cell
    std::int64_t places = 0;             // of the interpreter
    std::int64_t pairs = 0;              // of inputs that are summed over the modes
    std::int64_t groups = 0;             // of these whose sums are by cell of bins
    std::int64_t mode_cells = 0;         // of a group
    std::int64_t increments = 0;         // quantities whose increments are measured
    std::int64_t moments = 0;            // of all separations
    std::int64_t axis = 0, fields = 0;   // along which, and the fields that are swapped for it
    std::int64_t nx = 0, ny = 0, nz = 0; // points of a smaller grid; 0: the flow's

    std::array<int, 3> points() const {
        return {static_cast<int>(nx), static_cast<int>(ny), static_cast<int>(nz)};
    }
    bool is_narrow() const { return nx > 0; }

    // Calls use(name, member) for each; Python uses the same names.
    template <class Use> static void each(const Use& use) {
        use("inputs", &ProgramNeeds::inputs);
        use("products", &ProgramNeeds::products);
        use("fluxes", &ProgramNeeds::fluxes);
        use("product_fields", &ProgramNeeds::product_fields);
        use("kept", &ProgramNeeds::kept);
        use("forces", &ProgramNeeds::forces);
        use("of_rows", &ProgramNeeds::of_rows);
        use("values", &ProgramNeeds::values);
        use("histogram_operands", &ProgramNeeds::histogram_operands);
        use("cells", &ProgramNeeds::cells);
        use("sums", &ProgramNeeds::sums);
        use("places", &ProgramNeeds::places);
        use("pairs", &ProgramNeeds::pairs);
        use("groups", &ProgramNeeds::groups);
        use("mode_cells", &ProgramNeeds::mode_cells);
        use("increments", &ProgramNeeds::increments);
        use("moments", &ProgramNeeds::moments);
        use("axis", &ProgramNeeds::axis);
        use("fields", &ProgramNeeds::fields);
        use("nx", &ProgramNeeds::nx);
        use("ny", &ProgramNeeds::ny);
        use("nz", &ProgramNeeds::nz);
    }
};

// A probe (programs/probes.hpp) of inputs at modes or at points. The points have `along_x`, `along_y` and
// `along_z` different x, y and z, and `lines` different pairs of x and z.
struct ProbeNeeds {
    std::int64_t inputs = 0;
    std::int64_t modes = 0;
    std::int64_t points = 0, lines = 0, along_x = 0, along_y = 0, along_z = 0;

    template <class Use> static void each(const Use& use) {
        use("inputs", &ProbeNeeds::inputs);
        use("modes", &ProbeNeeds::modes);
        use("points", &ProbeNeeds::points);
        use("lines", &ProbeNeeds::lines);
        use("along_x", &ProbeNeeds::along_x);
        use("along_y", &ProbeNeeds::along_y);
        use("along_z", &ProbeNeeds::along_z);
    }
};

} // namespace whorl::programs
