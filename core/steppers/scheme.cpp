#include "steppers/scheme.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/error.hpp"

namespace whorl {

int Stage::reads() const {
    int mask = 0;
    for (std::size_t i = 0; i < registers; ++i)
        for (std::size_t j = 0; j < registers; ++j)
            if (m[i][j] != 0.0 || plain[i][j] != 0.0) mask |= 1 << j;
    return mask;
}

int Stage::writes() const {
    int mask = 0;
    for (std::size_t i = 0; i < registers; ++i) {
        bool written = v[i] != 0.0;
        for (std::size_t j = 0; j < registers; ++j) written = written || m[i][j] != 0.0 || plain[i][j] != 0.0;
        if (written) mask |= 1 << i;
    }
    return mask;
}

double Growth::over(const Stage& stage, double dt) const {
    std::array<double, Stage::registers> next = exponents;
    StageSum(stage, dt)(rate, next);
    return next[0] - exponents[0];
}

void Growth::advance(const Stage& stage, double dt) {
    const double grown = over(stage, dt);
    for (std::size_t j = 0; j < lags.size(); ++j) lags[j] = stage.writes() >> j & 1 ? 0.0 : lags[j] + grown;
    StageSum(stage, dt)(rate, exponents);
}

void Growth::add(const Growth& other) {
    rate += other.rate;
    for (std::size_t j = 0; j < lags.size(); ++j) {
        exponents[j] += other.exponents[j];
        lags[j] += other.lags[j];
    }
}

namespace {

bool is_square(const std::vector<std::vector<double>>& rows, std::size_t count) {
    return rows.size() == count &&
           std::ranges::all_of(rows, [&](const std::vector<double>& row) { return row.size() == count; });
}

bool is_finite(const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

void add_exponential(const std::string& scheme, const StageTable& table, Stage& stage) {
    const std::size_t count = table.v.size();
    const bool three = table.phi.size() == count &&
                       std::ranges::all_of(table.phi, [](const auto& row) { return row.size() == 3; });
    WHORL_REQUIRE(three && is_square(table.plain, count) && table.reach.size() == count,
                  "scheme " + scheme + " has a stage whose plain, phi and reach do not fit its v.");
    stage.exponential = true;
    for (std::size_t i = 0; i < count; ++i) {
        std::ranges::copy(table.plain[i], stage.plain[i].begin());
        std::ranges::copy(table.phi[i], stage.phi[i].begin());
        stage.reach[i] = table.reach[i];
        const double without_decay = table.phi[i][0] + table.phi[i][1] / 2 + table.phi[i][2] / 6;
        WHORL_REQUIRE(is_finite(table.plain[i]) && is_finite(table.phi[i]) && std::isfinite(table.reach[i]) &&
                          std::abs(without_decay - table.v[i]) < 1e-12,
                      "scheme " + scheme + " has a stage whose phi is not its v without decay.");
    }
}

Stage stage_of(const std::string& scheme, const StageTable& table) {
    const std::size_t count = table.v.size();
    WHORL_REQUIRE(count <= Stage::registers, "scheme " + scheme + " has " + std::to_string(count) +
                                                 " registers, at most " + std::to_string(Stage::registers) +
                                                 " are possible (Stage::registers).");
    WHORL_REQUIRE(is_square(table.m, count),
                  "scheme " + scheme + " has a stage whose m has not as many rows and columns as v.");
    WHORL_REQUIRE(std::ranges::all_of(table.m, is_finite) && is_finite(table.v) &&
                      std::isfinite(table.advance),
                  "scheme " + scheme + " has a coefficient that is not a finite number.");
    Stage stage;
    for (std::size_t i = 0; i < count; ++i) {
        std::ranges::copy(table.m[i], stage.m[i].begin());
        stage.v[i] = table.v[i];
    }
    stage.advance = table.advance;
    if (!table.phi.empty()) add_exponential(scheme, table, stage);
    return stage;
}

} // namespace

Scheme::Scheme(std::string given, const std::vector<StageTable>& tables, int remembered, bool estimated)
    : name(std::move(given)), earlier(remembered), estimates(estimated) {
    WHORL_REQUIRE(!tables.empty(), "scheme " + name + " has no stages.");
    WHORL_REQUIRE(earlier >= 0 && earlier < Stage::registers,
                  "scheme " + name + " remembers " + std::to_string(earlier) + " steps, 0 to " +
                      std::to_string(Stage::registers - 1) + " are possible.");
    for (const StageTable& table : tables) stages.push_back(stage_of(name, table));
    stages.back().ends_step = true;
}

bool Scheme::exponential() const {
    return std::ranges::any_of(stages, [](const Stage& stage) { return stage.exponential; });
}

int Scheme::registers() const {
    int used = 0b11;
    for (const Stage& stage : stages) used |= stage.reads() | stage.writes();
    return std::max(static_cast<int>(std::bit_width(static_cast<unsigned>(used))), earlier + 1);
}

int Scheme::all_registers(const Dealiasing& dealiasing) const {
    WHORL_REQUIRE(!stages.empty(), "there is no step without a scheme: give Options.scheme.");
    return registers() + (earlier > 0 || dealiasing.twice ? 1 : 0);
}

namespace {

constexpr double longest_growth = 4.0; // largest ratio of a step to the one before

// The integrals from 0 to dt of the Lagrange polynomials of the past nodes -t_1 (and -t_2), the other node 0.
std::array<double, 2> weights_of_past(double dt, const std::vector<double>& steps) {
    const double t = steps[0];
    if (steps.size() == 1) return {-dt * dt / (2 * t), 0.0};
    const double later = steps[1], both = t + later;
    return {-dt * dt * (dt / 3 + both / 2) / (t * later), dt * dt * (dt / 3 + t / 2) / (both * later)};
}

} // namespace

void History::add(double dt) {
    if (!serves(dt)) forget();
    steps_.insert(steps_.begin(), dt);
    if (static_cast<int>(steps_.size()) > longest_) steps_.resize(static_cast<std::size_t>(longest_));
}

bool History::serves(double dt) const { return !steps_.empty() && dt <= longest_growth * steps_.front(); }

Stage History::stage(double dt) const {
    Stage stage;
    stage.advance = 1.0;
    stage.ends_step = true;
    const std::array<double, 2> past = weights_of_past(dt, steps_);
    double present = dt;
    stage.m[0][0] = 1.0;
    for (std::size_t j = 0; j < steps_.size(); ++j) {
        stage.m[0][j + 1] = past[j] / steps_[j];
        present -= past[j];
    }
    stage.v[0] = present / dt;
    stage.v[1] = 1.0;
    for (std::size_t j = 2; j <= static_cast<std::size_t>(longest_); ++j) stage.m[j][j - 1] = 1.0;
    return stage;
}

} // namespace whorl
