// A plan's tables as the threads of a GPU read them, each for a mode.
#pragma once

#include <vector>

#include "device/buffer.hpp"
#include "equations/tables.hpp"

namespace whorl::equations {

// Sums of terms: those of sum s are numbers [begin[s], begin[s + 1]).
template <class Real> struct SumsOnDevice {
    const programs::LoadedTerm<Real>* terms;
    const int* sources;
    const int* begin;

    // The sum of a mode; from(source) has a value of the mode. A call, as sum_at() of a linear input.
    template <class From> WHORL_CALL Complex<Real> at(int sum, Wavenumber<Real> k, const From& from) const {
        Complex<Real> all{0, 0};
        for (int n = begin[sum]; n < begin[sum + 1]; ++n)
            all = all + terms[n].times(terms[n].of(k),
                                       kernels::power_of_i<Real>(terms[n].i_power) * from(sources[n]));
        return all;
    }
};

// A field whose rate is the sum of parts [rate_begin, rate_end).
struct FieldOnDevice {
    int first, components;
    bool solenoidal, projected;
    int rate_begin, rate_end;
};

template <class Real> struct TablesOnDevice {
    int components, fields, products, fluxes, blocks;
    const FieldOnDevice* field;
    const RatePart* rates;
    const int* field_of;    // of each component
    const int* in_block;    // whether each component is in one
    const int* block_begin; // of `in_blocks`, the components of one block after another
    const int* in_blocks;
    SumsOnDevice<Real> tendency, coupling, varying;
    SumsOnDevice<double> coupling_in_double;
    const Complex<Real>* sources; // of the mean of each component
    const int* part_begin;        // of the parts of fluxes
    const PartTable<Real>* parts;

    // The rate of a field, in double, as a high power of k may be beyond single precision.
    WHORL_INLINE Real rate(int f, Wavenumber<Real> k) const {
        const double k2 = square(widened(k));
        double sum = 0.0;
        for (int p = field[f].rate_begin; p < field[f].rate_end; ++p) {
            const auto [factor, exponent] = rates[p];
            if (exponent == 0.0)
                sum += factor;
            else if (exponent == 2.0)
                sum += factor * k2;
            else if (exponent == 4.0)
                sum += factor * (k2 * k2);
            else if (k2 > 0.0)
                sum += factor * std::pow(k2, 0.5 * exponent);
        }
        return static_cast<Real>(sum);
    }
};

// Tables in the memory of a device, copied from those of the host.
template <class Memory, class Real> class CopiedTables {
    template <class T> using Table = device::Table<T, Memory>;

  public:
    explicit CopiedTables(const Tables<Real>& of)
        : of_(of), tendency_(of.tendency), coupling_(of.coupling), varying_(of.varying),
          coupling_in_double_(of.coupling_in_double) {
        for (const FieldTable& field : of.fields) {
            const auto begin = static_cast<int>(all_rates_.size());
            all_rates_.insert(all_rates_.end(), field.rate.begin(), field.rate.end());
            all_fields_.push_back({field.first, field.components, field.solenoidal, field.projected, begin,
                                   static_cast<int>(all_rates_.size())});
        }
        for (const auto& block : of.blocks) {
            all_in_blocks_.insert(all_in_blocks_.end(), block.begin(), block.end());
            all_block_begins_.push_back(static_cast<int>(all_in_blocks_.size()));
        }
        for (const auto& flux : of.fluxes) {
            all_parts_.insert(all_parts_.end(), flux.begin(), flux.end());
            all_part_begins_.push_back(static_cast<int>(all_parts_.size()));
        }
        field_ = Table<FieldOnDevice>(all_fields_);
        rates_ = Table<RatePart>(all_rates_);
        field_of_ = Table<int>(of.field_of);
        in_block_ = Table<int>(of.in_block);
        block_begin_ = Table<int>(all_block_begins_);
        in_blocks_ = Table<int>(all_in_blocks_);
        sources_ = Table<Complex<Real>>(of.sources);
        part_begin_ = Table<int>(all_part_begins_);
        parts_ = Table<PartTable<Real>>(all_parts_);
    }

    // Copies the numbers that the clock sets, once nothing on the device reads it.
    void refresh() {
        varying_.refresh(of_.varying);
        sources_.refresh(of_.sources);
    }
    TablesOnDevice<Real> get() const {
        return {of_.components,
                static_cast<int>(of_.fields.size()),
                of_.products,
                static_cast<int>(of_.fluxes.size()),
                static_cast<int>(of_.blocks.size()),
                field_.data(),
                rates_.data(),
                field_of_.data(),
                in_block_.data(),
                block_begin_.data(),
                in_blocks_.data(),
                tendency_.get(),
                coupling_.get(),
                varying_.get(),
                coupling_in_double_.get(),
                sources_.data(),
                part_begin_.data(),
                parts_.data()};
    }

  private:
    template <class Number> class Sums {
      public:
        explicit Sums(const TermSums<Number>& of)
            : terms_(of.terms), sources_(of.sources), begin_(of.begin) {}
        void refresh(const TermSums<Number>& of) { terms_.refresh(of.terms); }
        SumsOnDevice<Number> get() const { return {terms_.data(), sources_.data(), begin_.data()}; }

      private:
        Table<programs::LoadedTerm<Number>> terms_;
        Table<int> sources_, begin_;
    };

    const Tables<Real>& of_;
    std::vector<FieldOnDevice> all_fields_;
    std::vector<RatePart> all_rates_;
    std::vector<int> all_block_begins_{0}, all_in_blocks_, all_part_begins_{0};
    std::vector<PartTable<Real>> all_parts_;
    Table<FieldOnDevice> field_;
    Table<RatePart> rates_;
    Table<int> field_of_, in_block_, block_begin_, in_blocks_, part_begin_;
    Table<Complex<Real>> sources_;
    Table<PartTable<Real>> parts_;
    Sums<Real> tendency_, coupling_, varying_;
    Sums<double> coupling_in_double_;
};

} // namespace whorl::equations
