// A sum of double-precision numbers without rounding but that of the result. It does not depend on the order
// of the terms, nor on threads or ranks (Kulisch, Computer Arithmetic and Validity, de Gruyter 2008, chapter
// 8). A number is digits of 32 bits in words of 64 bits, to which 2^31 terms can be added before a carry is
// needed.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "base/macros.hpp"

namespace whorl {

class ExactSum {
  public:
    // Digits from 2^-1074 on, and after them the number of terms that were not finite. The words of sums of
    // other ranks may be added one by one.
    static constexpr int digits = 68, word_count = digits + 1;
    using Words = std::array<std::uint64_t, static_cast<std::size_t>(word_count)>;

    ExactSum() = default;
    // A sum with words to which at most 2^31 terms have been added.
    explicit ExactSum(const std::uint64_t* words) { std::copy_n(words, word_count, words_.begin()); }

    void add(double term) {
        add_to(words_.data(), term, [](std::uint64_t* word, std::uint64_t value) { *word += value; });
        if (++terms_ == most_terms) carry();
    }
    // Adds a term to the words of a sum: add(word, value) adds to one of them, modulo 2^64, in any order.
    template <class Add> static WHORL_INLINE void add_to(std::uint64_t* words, double term, const Add& add) {
        constexpr std::uint64_t low = 0xffffffffU;
        std::uint64_t bits = 0;
        std::memcpy(&bits, &term, sizeof bits);
        const int exponent = static_cast<int>(bits >> 52U & 0x7ffU);
        if (exponent == 0x7ff) return add(words + digits, std::uint64_t{1});
        // Times 2^(place - 1074); denormals have the place of the smallest normal numbers.
        std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52U) - 1);
        if (exponent > 0) mantissa |= std::uint64_t{1} << 52U;
        const int place = exponent > 0 ? exponent - 1 : 0;
        const unsigned shift = static_cast<unsigned>(place) % 32U;
        const std::uint64_t from_low = (mantissa & low) << shift, from_high = (mantissa >> 32U) << shift;
        const std::uint64_t middle = from_low >> 32U | (from_high & low); // which have no bit in common
        std::uint64_t* const first = words + place / 32;
        const bool negative = bits >> 63U != 0;
        const auto put = [&](int d, std::uint64_t value) {
            if (value != 0) add(first + d, negative ? ~value + 1 : value);
        };
        put(0, from_low & low);
        put(1, middle);
        put(2, from_high >> 32U);
    }

    // Carries first, so that sums of 2^31 ranks fit.
    Words& words() {
        carry();
        return words_;
    }

    // The sum, rounded to nearest; NaN if a term was not finite.
    double value() {
        if (words_[digits] != 0) return std::numeric_limits<double>::quiet_NaN();
        carry();
        const bool is_negative = word(digits - 1) < 0;
        if (is_negative) {
            for (int d = 0; d < digits; ++d) words_[index(d)] = static_cast<std::uint64_t>(-word(d));
            carry();
        }
        const double magnitude = rounded();
        return is_negative ? -magnitude : magnitude;
    }

    // The most terms that may be added to words before carry().
    static constexpr std::int64_t most_added = std::int64_t{1} << 31;

  private:
    static constexpr std::uint32_t most_terms = std::uint32_t{1} << 30;

    static std::size_t index(int digit) { return static_cast<std::size_t>(digit); }
    std::int64_t word(int digit) const { return static_cast<std::int64_t>(words_[index(digit)]); }
    // All digits but the last become those of a number in base 2^32; the last has the sign.
    void carry() {
        for (int d = 0; d + 1 < digits; ++d) {
            const std::int64_t up = word(d) >> 32;
            words_[index(d)] -= static_cast<std::uint64_t>(up) << 32;
            words_[index(d + 1)] += static_cast<std::uint64_t>(up);
        }
        terms_ = 0;
    }
    // The rounded value of digits that are not negative.
    double rounded() const {
        int highest = digits - 1;
        while (highest > 2 && words_[index(highest)] == 0) --highest;
        unsigned __int128 leading = 0;
        for (int d = highest; d > highest - 3; --d) leading = (leading << 32) + words_[index(d)];
        for (int d = 0; d < highest - 2; ++d)
            if (words_[index(d)] != 0) leading |= 1;
        return std::ldexp(static_cast<double>(leading), 32 * (highest - 2) - 1074);
    }

    Words words_{};
    std::uint32_t terms_ = 0;
};

// Carries in the words of sums, which follow each other, so that those of other ranks can be added.
inline void carry(std::span<std::uint64_t> words) {
    constexpr auto count = static_cast<std::size_t>(ExactSum::word_count);
    for (std::size_t first = 0; first < words.size(); first += count) {
        ExactSum sum(words.data() + first);
        std::copy_n(sum.words().begin(), count, words.begin() + static_cast<std::ptrdiff_t>(first));
    }
}

} // namespace whorl
