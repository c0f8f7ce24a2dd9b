// Keeps the energy of a band, or of each of its shells: after each step the amplitudes are multiplied by
// sqrt(E0 / E). Of a whole band: Lamorgese, Caughey and Pope, Phys. Fluids 17, 015106 (2005); shell by shell
// ("frozen" shells): Chen, Doolen, Kraichnan and She, Phys. Fluids A 5, 458 (1993). E0 is given, or that of
// the first state.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "forcing/registry.hpp"
#include "grid/box.hpp"

namespace whorl::forcing {

namespace {

class ConstantEnergy final : public Source {
  public:
    ConstantEnergy(const SourceOptions& options, const Surroundings& around)
        : Source(options, modes_for(options, around), around.components),
          smallest_(around.box.smallest_wavenumber()), by_shell_(options.number("by_shell", 0.0) != 0.0),
          shells_(by_shell_ ? shells_of(options, around) : 1), targets_(options.shells) {
        if (options.has("energy")) targets_ = {options.number("energy")};
        given_energy_ = !targets_.empty();
        WHORL_REQUIRE(!by_shell_ || targets_.empty() || targets_.size() >= static_cast<std::size_t>(shells_),
                      "forcing \"" + name() + "\" gives the energy of " + std::to_string(targets_.size()) +
                          " shells, and its band has " + std::to_string(shells_) +
                          " with shell 0: give as many, or lower k_max.");
        if (!targets_.empty()) targets_.resize(static_cast<std::size_t>(shells_), 0.0);
    }

    Acts acts() const override { return Acts::after_step; }
    int sums() const override { return shells_; }
    void add_to_sums(const Values& a, std::span<double> sums) const override {
        for (std::size_t m = 0; m < modes().size(); ++m)
            for (int c = 0; c < components(); ++c)
                sums[shell_of(m)] += modes()[m].weight * 0.5 * dot(a.at(c, m), a.at(c, m));
    }

    void evaluate(const StepTime&, const Values& a, std::span<const double> sums, Values& f) override {
        if (targets_.empty()) {
            const double all = std::accumulate(sums.begin(), sums.end(), 0.0);
            WHORL_REQUIRE(all > 0.0 || !std::isfinite(all),
                          "forcing \"" + name() + "\" holds the energy of the first state, and the " +
                              field() +
                              " has none where it acts: begin with an initial field on these modes.");
            targets_.assign(sums.begin(), sums.end());
        }
        std::vector<double> added(sums.size(), 0.0);
        for (std::size_t n = 0; n < sums.size(); ++n) {
            WHORL_REQUIRE(sums[n] > 0.0 || targets_[n] == 0.0 || !std::isfinite(sums[n]),
                          "forcing \"" + name() + "\" multiplies the " + field() + ", which has no energy" +
                              (by_shell_ ? " in shell " + std::to_string(n) : "") + " where it shall have " +
                              shown(targets_[n]) + ": begin with an initial field on these modes.");
            if (sums[n] > 0.0) added[n] = std::sqrt(targets_[n] / sums[n]) - 1.0;
        }
        for (std::size_t m = 0; m < modes().size(); ++m)
            for (int c = 0; c < components(); ++c) f.at(c, m) = added[shell_of(m)] * a.at(c, m);
    }

    std::map<std::string, double> save() const override {
        std::map<std::string, double> saved;
        for (std::size_t n = 0; n < targets_.size(); ++n) saved["energy" + std::to_string(n)] = targets_[n];
        return saved;
    }
    void restore(const std::map<std::string, double>& saved) override {
        if (saved.empty() || given_energy_) return;
        WHORL_REQUIRE(saved.size() == static_cast<std::size_t>(shells_),
                      "forcing \"" + name() + "\" holds " + std::to_string(shells_) +
                          " energies, and the checkpoint has " + std::to_string(saved.size()) +
                          " of it; give the energies, or another forcing.name to begin anew.");
        targets_.clear();
        for (std::size_t n = 0; n < saved.size(); ++n)
            targets_.push_back(saved.at("energy" + std::to_string(n)));
    }

  private:
    static int shells_of(const SourceOptions& options, const Surroundings& around) {
        const double smallest = around.box.smallest_wavenumber();
        int last = 0;
        for_each_mode(options.band(), around.box, around.truncation, [&](const ForcedMode& mode) {
            last = std::max(last, shell_number(std::sqrt(square(mode.k)), smallest));
        });
        return last + 1;
    }
    std::size_t shell_of(std::size_t m) const {
        if (!by_shell_) return 0;
        const int shell = shell_number(std::sqrt(square(modes()[m].k)), smallest_);
        return static_cast<std::size_t>(std::min(shell, shells_ - 1));
    }

    double smallest_;
    bool by_shell_;
    int shells_;
    std::vector<double> targets_;
    bool given_energy_ = false;
};

} // namespace

std::unique_ptr<Source> make_constant_energy(const SourceOptions& options, const Surroundings& around) {
    return std::make_unique<ConstantEnergy>(options, around);
}

} // namespace whorl::forcing
