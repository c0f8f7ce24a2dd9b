// A sum of double-precision numbers without rounding but that of the result, so that it does not depend on
// the order of the terms, nor on threads or ranks (Kulisch, Computer Arithmetic and Validity, de Gruyter
// 2008, chapter 8). A number is digits of 32 bits in words of 64, which take 2^31 terms before a carry is
// needed.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace whorl {

class ExactSum {
  public:
    // Digits from 2^-1074 on, and behind them the number of terms that were not finite. The words of sums of
    // other ranks may be added one by one.
    static constexpr int digits = 68;
    using Words = std::array<std::uint64_t, digits + 1>;

    void add(double term) {
        if (!std::isfinite(term)) {
            ++words_[digits];
            return;
        }
        int exponent = 0;
        const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(term, &exponent), 53));
        const int from_lowest = exponent - 53 + 1074; // below 0 for a denormal, whose last bits are zero
        const int place = from_lowest < 0 ? 0 : from_lowest;
        const __int128 shifted = from_lowest < 0 ? static_cast<__int128>(mantissa) >> -from_lowest
                                                 : static_cast<__int128>(mantissa) << place % 32;
        add_digits(place / 32, shifted);
        if (++terms_ == most_terms) carry();
    }

    // Carries first, so that sums of 2^31 ranks fit.
    Words& words() {
        carry();
        return words_;
    }

    // Rounded to nearest; NaN if a term was not finite.
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

  private:
    static constexpr std::uint32_t most_terms = std::uint32_t{1} << 30;

    static std::size_t index(int digit) { return static_cast<std::size_t>(digit); }
    std::int64_t word(int digit) const { return static_cast<std::int64_t>(words_[index(digit)]); }
    void add_digits(int first, __int128 value) {
        const bool is_negative = value < 0;
        auto left = static_cast<unsigned __int128>(is_negative ? -value : value);
        for (int d = first; left != 0; ++d, left >>= 32) {
            const std::uint64_t digit = static_cast<std::uint32_t>(left);
            words_[index(d)] += is_negative ? -digit : digit;
        }
    }
    // All digits but the last become those of a number in base 2^32; the last has the sign.
    void carry() {
        for (int d = 0; d + 1 < digits; ++d) {
            const std::int64_t up = word(d) >> 32;
            words_[index(d)] -= static_cast<std::uint64_t>(up) << 32;
            words_[index(d + 1)] += static_cast<std::uint64_t>(up);
        }
        terms_ = 0;
    }
    // Of digits that are not negative.
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

} // namespace whorl
