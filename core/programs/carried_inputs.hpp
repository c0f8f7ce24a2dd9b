// Inputs as a device reads them. Their terms refer to the fields, which may be elsewhere in memory at each
// use.
#pragma once

#include <vector>

#include "device/buffer.hpp"
#include "programs/carried.hpp"

namespace whorl::programs {

template <class Memory, class Real> class CarriedInputs {
  public:
    CarriedInputs(InputTerms inputs, const Layout& layout) : given_(std::move(inputs)), layout_(layout) {}

    int count() const { return static_cast<int>(given_.size()); }
    const CarriedInput<Real>* data() const { return inputs_.data(); }
    // The inputs in the host's memory, with their terms in the device's.
    const CarriedInput<Real>* on_host() const { return carried_.data(); }

    // Makes the inputs refer to the fields at their present places.
    void refer_to(const std::vector<Source<Real>>& sources) {
        std::vector<const Complex<Real>*> places;
        std::vector<Parity> parities; // memory may serve another field now
        for (const Source<Real>& source : sources) {
            places.push_back(source.modes);
            parities.push_back(source.parity);
        }
        if (places == places_ && parities == parities_) return;
        places_ = places;
        parities_ = parities;
        loaded_.clear();
        carried_.clear();
        for (const auto& sum : given_) {
            CarriedInput<Real>& one = carried_.emplace_back();
            for (const Term& term : sum) loaded_.push_back(loaded(term, sources, layout_));
            one.term_count = static_cast<int>(sum.size());
            one.parity = parity_of(sum, sources, layout_.walls);
        }
        terms_ = device::Table<LoadedTerm<Real>, Memory>(loaded_);
        const LoadedTerm<Real>* next = terms_.data();
        for (CarriedInput<Real>& one : carried_) {
            one.terms = next;
            next += one.term_count;
        }
        inputs_ = device::Table<CarriedInput<Real>, Memory>(carried_);
    }

  private:
    InputTerms given_;
    const Layout& layout_;
    std::vector<const Complex<Real>*> places_;
    std::vector<Parity> parities_;
    // The tables refer to these if memory is the host's.
    std::vector<LoadedTerm<Real>> loaded_;
    std::vector<CarriedInput<Real>> carried_;
    device::Table<LoadedTerm<Real>, Memory> terms_;
    device::Table<CarriedInput<Real>, Memory> inputs_;
};

} // namespace whorl::programs
