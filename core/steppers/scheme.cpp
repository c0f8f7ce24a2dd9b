#include "steppers/scheme.hpp"

#include <cmath>

#include "base/error.hpp"

namespace whorl {

int Stage::reads() const {
    int mask = 0;
    for (std::size_t i = 0; i < registers; ++i)
        for (std::size_t j = 0; j < registers; ++j)
            if (m[i][j] != 0.0) mask |= 1 << j;
    return mask;
}

int Stage::writes() const {
    int mask = 0;
    for (std::size_t i = 0; i < registers; ++i) {
        bool written = v[i] != 0.0;
        for (std::size_t j = 0; j < registers; ++j) written = written || m[i][j] != 0.0;
        if (written) mask |= 1 << i;
    }
    return mask;
}

namespace {

// Heun's predictor-corrector; register 1 holds the half-finished result.
Scheme rk2() {
    Stage predictor{{{{1, 0, 0}, {1, 0, 0}, {0, 0, 0}}}, {1.0, 0.5, 0.0}, 1.0};
    Stage corrector{{{{0, 1, 0}, {0, 0, 0}, {0, 0, 0}}}, {0.5, 0.0, 0.0}, 0.0};
    return {"rk2", 2, 2, {predictor, corrector}, "Heun; Rogallo, NASA TM 81315 (1981)"};
}

// Begun by a step of Heun's, of which f at its begin is left: twice the predicted less the half-finished
// result is exp(-rate dt) dt f. From then on by History::stage.
Scheme adams_bashforth(const std::string& name, int order) {
    Scheme scheme = rk2();
    scheme.stages.back().m[1] = {2, -2, 0};
    return {name,     order, order, scheme.stages, "Bashforth and Adams, Theory of Capillary Action (1883)",
            order - 1};
}

// Of two registers, stage by stage: du <- A du + dt f, u <- u + B du, at the times c of the step.
template <std::size_t count> struct TwoRegisters {
    std::array<double, count> A, B, c;

    std::vector<Stage> stages() const {
        std::vector<Stage> all;
        for (std::size_t s = 0; s < count; ++s) {
            const bool last = s + 1 == count;
            Stage stage{{{{1, A[s] * B[s], 0}, {0, A[s], 0}, {0, 0, 0}}},
                        {B[s], 1.0, 0.0},
                        (last ? 1.0 : c[s + 1]) - c[s]};
            if (last) {
                stage.m[1] = {0, 0, 0};
                stage.v[1] = 0.0;
            }
            all.push_back(stage);
        }
        return all;
    }
};

Scheme rk3() {
    constexpr TwoRegisters<3> table{
        {0.0, -5.0 / 9.0, -153.0 / 128.0}, {1.0 / 3.0, 15.0 / 16.0, 8.0 / 15.0}, {0.0, 1.0 / 3.0, 3.0 / 4.0}};
    return {"rk3", 3, 2, table.stages(), "Williamson, J. Comput. Phys. 35, 48 (1980), case 7"};
}

// Five stages, stable up to 3.34 on the imaginary axis where four stages are up to 2.83.
Scheme rk4_carpenter() {
    constexpr TwoRegisters<5> table{
        {0.0, -567301805773.0 / 1357537059087.0, -2404267990393.0 / 2016746695238.0,
         -3550918686646.0 / 2091501179385.0, -1275806237668.0 / 842570457699.0},
        {1432997174477.0 / 9575080441755.0, 5161836677717.0 / 13612068292357.0,
         1720146321549.0 / 2090206949498.0, 3134564353537.0 / 4481467310338.0,
         2277821191437.0 / 14882151754819.0},
        {0.0, 1432997174477.0 / 9575080441755.0, 2526269341429.0 / 6820363962896.0,
         2006345519317.0 / 3224310063776.0, 2802321613138.0 / 2924317926251.0}};
    return {"rk4-carpenter", 4, 2, table.stages(),
            "Carpenter and Kennedy, NASA TM 109112 (1994), solution 3"};
}

// Register 1 keeps the state the step began with, register 2 gathers the result.
Scheme rk4() {
    Stage first{{{{1, 0, 0}, {1, 0, 0}, {1, 0, 0}}}, {1.0 / 2, 0.0, 1.0 / 6}, 1.0 / 2};
    Stage second{{{{0, 1, 0}, {0, 0, 0}, {0, 0, 1}}}, {1.0 / 2, 0.0, 1.0 / 3}, 0.0};
    Stage third{{{{0, 1, 0}, {0, 0, 0}, {0, 0, 1}}}, {1.0, 0.0, 1.0 / 3}, 1.0 / 2};
    Stage fourth{{{{0, 0, 1}, {0, 0, 0}, {0, 0, 0}}}, {1.0 / 6, 0.0, 0.0}, 0.0};
    return {"rk4", 4, 3, {first, second, third, fourth}, "Kutta, Z. Math. Phys. 46, 435 (1901)"};
}

// k = dt f;  y <- y + a (k - b q),  q <- q + 3 a (k - b q) - c k, with q = 0 at the start of a step.
Scheme rk4_gill() {
    const double half_root = std::sqrt(0.5);
    const std::array<double, 4> a{0.5, 1.0 - half_root, 1.0 + half_root, 1.0 / 6.0};
    const std::array<double, 4> b{0.0, 1.0, 1.0, 2.0};
    const std::array<double, 4> c{0.5, 1.0 - half_root, 1.0 + half_root, 0.5};
    const std::array<double, 4> advance{0.5, 0.0, 0.5, 0.0};
    Scheme scheme{"rk4-gill", 4, 2, {}, "Gill, Proc. Camb. Phil. Soc. 47, 96 (1951)"};
    for (std::size_t s = 0; s < 4; ++s) {
        const bool first = s == 0;
        Stage stage{{{{1, -a[s] * b[s], 0}, {0, first ? 0.0 : 1.0 - 3.0 * a[s] * b[s], 0}, {0, 0, 0}}},
                    {a[s], 3.0 * a[s] - c[s], 0.0},
                    advance[s]};
        if (s == 3) {
            stage.m[1] = {0, 0, 0};
            stage.v[1] = 0.0;
        }
        scheme.stages.push_back(stage);
    }
    return scheme;
}

} // namespace

const std::vector<Scheme>& schemes() {
    static const std::vector<Scheme> known = [] {
        std::vector<Scheme> all{rk2(),
                                rk3(),
                                rk4(),
                                rk4_gill(),
                                rk4_carpenter(),
                                adams_bashforth("ab2", 2),
                                adams_bashforth("ab3", 3)};
        for (Scheme& scheme : all) scheme.stages.back().ends_step = true;
        return all;
    }();
    return known;
}

const Scheme& find_scheme(const std::string& name) {
    std::string names;
    for (const Scheme& scheme : schemes()) {
        if (scheme.name == name) return scheme;
        names += (names.empty() ? "" : ", ") + scheme.name;
    }
    throw Error("scheme = \"" + name + "\" is unknown; choose one of: " + names + ".");
}

} // namespace whorl
