// Compiled once for each device. The points are sorted by z, then by x: points with one z, or with one x and
// z, share the sums along the other axes.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "device/chosen.hpp"
#include "programs/probes.hpp"
#include "programs/program_parts.hpp"
#include "roundtrip/roundtrip.hpp"

namespace whorl::programs {

namespace {

using Wide = Complex<double>;

constexpr int lanes = lanes_of_sums;

// The factors of an axis: w exp(i k x), with w = 2 where a mode stands for its conjugate, or between walls
// cos(k x) and i sin(k x), twice for k > 0 (roundtrip/mode_values.hpp).
class Factors {
  public:
    Factors(const std::vector<int>& numbers, const Box& box, int axis, const std::vector<double>& at)
        : length_((static_cast<int>(numbers.size()) + lanes - 1) / lanes * lanes),
          of_parity_(static_cast<std::int64_t>(at.size()) * length_) {
        values_ = device::Buffer<Wide>(static_cast<std::size_t>(2 * of_parity_));
        for (int odd = 0; odd < 2; ++odd)
            for (std::size_t p = 0; p < at.size(); ++p)
                for (std::size_t n = 0; n < numbers.size(); ++n) {
                    const double phase = numbers[n] * box.unit(axis) * at[p];
                    const double weight = (box.wall(axis) || axis == 0) && numbers[n] != 0 ? 2.0 : 1.0;
                    Wide factor{weight * std::cos(phase), weight * std::sin(phase)};
                    if (box.wall(axis)) (odd ? factor.re : factor.im) = 0.0;
                    values_.data()[static_cast<std::size_t>(odd * of_parity_) +
                                   p * static_cast<std::size_t>(length_) + n] = factor;
                }
    }
    int length() const { return length_; }
    std::int64_t of_parity() const { return of_parity_; }
    std::span<const Wide> values() const { return {values_.data(), values_.size()}; }

  private:
    int length_;
    std::int64_t of_parity_;
    device::Buffer<Wide> values_;
};

// The factors of position p for a field that is odd or even along the axis.
struct FactorTable {
    const Wide* values;
    std::int64_t of_parity;
    int length;
    WHORL_INLINE const Wide* at(bool odd, int p) const {
        return values + (odd ? of_parity : 0) + static_cast<std::int64_t>(p) * length;
    }
};

// A pair of an x and a z, and a point on the line of a pair: numbers of positions along the axes.
struct LineOf {
    int x, z;
};
struct PointOf {
    int line, y;
    int number; // of the probe's positions
};

template <class Real> struct PointSums {
    ModeTables<Real> tables;
    const LinearInput<Real>* inputs;
    FactorTable x, y, z;
    const LineOf* lines;
    const PointOf* points;
    double* values; // [input][point][ky]
    int height, width, count;
};

// On a GPU: sums along z, [input][level][ky][kx]. A row of the kernel is an input, a level and a ky.
template <class Real> struct SumLevels {
    PointSums<Real> of;
    Wide* sums;
    int first, levels;

    struct Row {
        const PointSums<Real>& of;
        int input, z, j;
        Wide* sums;
        int length;
        WHORL_INLINE void operator()(std::int64_t i) const {
            const Wide* const factors = of.z.at(of.inputs[input].parity.z, z);
            Wide sum{0, 0};
            for (int l = 0; l < of.tables.nz; ++l) {
                const whorl::Row modes = of.tables.row(j, l);
                if (i >= modes.length) continue;
                Complex<Real> a;
                of.inputs[input].load(of.tables.mode(i, j, l, modes.offset), &a);
                sum = sum + widened(a) * factors[l];
            }
            sums[i] = sum;
        }
    };
    WHORL_INLINE Row row(std::int64_t r) const {
        const int j = static_cast<int>(r % of.height), level = static_cast<int>(r / of.height % levels);
        return {of,      static_cast<int>(r / of.height / levels), first + level, j, sums + r * of.width,
                of.width};
    }
};

// On a GPU, after SumLevels: the sum along x for each input, point and ky, and its share of the value. A row
// of the kernel is an input and a point.
template <class Real> struct SumPoints {
    PointSums<Real> of;
    const Wide* sums;
    int first_level, levels, first_point, points;

    struct Row {
        const SumPoints& all;
        int input, point, length;
        WHORL_INLINE void operator()(std::int64_t j) const {
            const PointSums<Real>& own = all.of;
            const Parity parity = own.inputs[input].parity;
            const PointOf at = own.points[point];
            const LineOf line = own.lines[at.line];
            const Wide* const factors = own.x.at(parity.x, line.x);
            const Wide* const column =
                all.sums +
                ((static_cast<std::int64_t>(input) * all.levels + line.z - all.first_level) * length + j) *
                    own.width;
            Wide sum{0, 0};
            for (int i = 0; i < own.width; ++i) sum = sum + column[i] * factors[i];
            own.values[(static_cast<std::int64_t>(input) * own.count + point) * length + j] =
                (sum * own.y.at(parity.y, at.y)[j]).re;
        }
    };
    WHORL_INLINE Row row(std::int64_t r) const {
        return {*this, static_cast<int>(r / points), first_point + static_cast<int>(r % points), of.height};
    }
};

// On threads: one input and ky, by an executor with space for its sums.
template <class Device, class Real> class PlaneOnThread {
  public:
    // `of_x` and `of_z` are the lengths of the tables of factors. Either `levels` or `columns` is 0.
    PlaneOnThread(int levels, int columns, int lines, int of_x, int of_z)
        : width_(of_x), row_(index(of_x)), of_levels_(index(1LL * levels * of_x)),
          of_columns_(index(1LL * columns * of_z)), of_lines_(index(lines)) {}

    void add(const PointSums<Real>& of, const LinearInput<Real>& input, int j, bool x_first, int x_count) {
        std::ranges::fill(of_columns_.values(), Wide{0, 0});
        std::ranges::fill(of_levels_.values(), Wide{0, 0});
        std::ranges::fill(row_.values(), Complex<Real>{0, 0});
        int last = width_;
        for (int l = 0; l < of.tables.nz; ++l) {
            const ModeRow<Real> row(of.tables, 0, j, l, of.tables.row(j, l).length);
            if (row.length == 0) continue;
            std::fill(row_.data() + row.length, row_.data() + std::max(last, row.length),
                      Complex<Real>{0, 0});
            last = row.length;
            input.template load_row<Device>(row, kernels::PlainValues<Real>{row_.data(), width_});
            if (x_first)
                for (int x = 0; x < x_count; ++x)
                    of_columns_.data()[1LL * x * of.z.length + l] =
                        sum(row_.data(), of.x.at(input.parity.x, x), width_);
            else
                along_z_first(of, input, l);
        }
        for (int n = 0; n < static_cast<int>(of_lines_.size()); ++n) {
            const LineOf line = of.lines[n];
            of_lines_.data()[n] = x_first ? sum(of_columns_.data() + 1LL * line.x * of.z.length,
                                                of.z.at(input.parity.z, line.z), of.z.length)
                                          : sum(of_levels_.data() + 1LL * line.z * width_,
                                                of.x.at(input.parity.x, line.x), width_);
        }
    }
    Wide of_line(int n) const { return of_lines_.data()[n]; }

  private:
    static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
    // The sum of the products with factors, `length` of them, in lanes.
    template <class T> static Wide sum(const Complex<T>* a, const Wide* factors, int length) {
        double re[lanes] = {}, im[lanes] = {};
        for (int i = 0; i < length; i += lanes)
            Device::run(lanes, [&](std::int64_t s) {
                const double x = static_cast<double>(a[i + s].re), y = static_cast<double>(a[i + s].im);
                re[s] += x * factors[i + s].re - y * factors[i + s].im;
                im[s] += x * factors[i + s].im + y * factors[i + s].re;
            });
        for (int s = 1; s < lanes; ++s) {
            re[0] += re[s];
            im[0] += im[s];
        }
        return {re[0], im[0]};
    }
    void along_z_first(const PointSums<Real>& of, const LinearInput<Real>& input, int l) {
        const int levels = static_cast<int>(of_levels_.size()) / width_;
        for (int z = 0; z < levels; ++z) {
            const Wide factor = of.z.at(input.parity.z, z)[l];
            Wide* const sums = of_levels_.data() + 1LL * z * width_;
            const Complex<Real>* const a = row_.data();
            Device::run(width_, [&](std::int64_t i) { sums[i] = sums[i] + widened(a[i]) * factor; });
        }
    }

    int width_;
    device::Buffer<Complex<Real>> row_;
    device::Buffer<Wide> of_levels_, of_columns_, of_lines_; // [z][kx], [x][kz], [line]
};

// The different values of a coordinate, in rising order.
std::vector<double> different(const std::vector<Position>& positions, std::size_t axis) {
    std::vector<double> values;
    for (const Position& position : positions) values.push_back(position[axis]);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}
int place_of(const std::vector<double>& values, double value) {
    return static_cast<int>(std::lower_bound(values.begin(), values.end(), value) - values.begin());
}

template <class Device, class Real> class PointProbe final : public Probe<Real> {
    using Memory = typename Device::Memory;
    template <class T> using Table = device::Table<T, Memory>;

  public:
    PointProbe(RoundTrip<Device, Real>& trip, const exchange::Communicator& world, const Box& box,
               const Truncation& truncation, const InputTerms& inputs, const std::vector<Position>& positions)
        : trip_(trip), world_(world), inputs_(inputs, trip.layout()),
          positions_{different(positions, 0), different(positions, 1), different(positions, 2)},
          x_(own_kx(), box, 0, positions_[0]), y_(trip.table().signed_ky(truncation), box, 1, positions_[1]),
          z_(all_kz(box), box, 2, positions_[2]) {
        sort(positions);
        tables_ = {Table<Wide>(x_.values()), Table<Wide>(y_.values()), Table<Wide>(z_.values())};
        line_table_ = Table<LineOf>(lines_);
        point_table_ = Table<PointOf>(points_);
        shares_ = device::Buffer<double, Memory>(size() * static_cast<std::size_t>(trip.table().height()));
        if constexpr (Memory::separate) on_host_.resize(shares_.size());
        if constexpr (Device::streams)
            levels_ = device::Buffer<Wide, Memory>(static_cast<std::size_t>(
                1LL * inputs_.count() * std::min(most_levels, count(2)) * height() * width()));
        else
            for (int e = 0; e < trip.device().executors(); ++e)
                planes_.emplace_back(x_first() ? 0 : count(2), x_first() ? count(0) : 0,
                                     static_cast<int>(lines_.size()), x_.length(), z_.length());
    }
    std::size_t size() const override { return static_cast<std::size_t>(inputs_.count()) * points_.size(); }
    void read(const std::vector<NamedField<Real>>& named_fields, std::span<double> values) override {
        inputs_.refer_to(named_fields);
        const PointSums<Real> of{trip_.modes(),
                                 inputs_.data(),
                                 {tables_[0].data(), x_.of_parity(), x_.length()},
                                 {tables_[1].data(), y_.of_parity(), y_.length()},
                                 {tables_[2].data(), z_.of_parity(), z_.length()},
                                 line_table_.data(),
                                 point_table_.data(),
                                 shares_.data(),
                                 height(),
                                 width(),
                                 static_cast<int>(points_.size())};
        if constexpr (Device::streams)
            on_streams(of);
        else
            on_threads(of);
        const double* next = shares_.data();
        if constexpr (Memory::separate) {
            Memory::to_host(on_host_.data(), next, shares_.bytes());
            next = on_host_.data();
        }
        for (int input = 0; input < inputs_.count(); ++input)
            for (const PointOf& point : points_) {
                values[static_cast<std::size_t>(input) * points_.size() +
                       static_cast<std::size_t>(point.number)] = std::accumulate(next, next + height(), 0.0);
                next += height();
            }
        const exchange::Watchdog::Scope watched(trip_.exchanges().watchdog(), "sum of a probe", -1);
        world_.sum(values);
    }

  private:
    int height() const { return trip_.table().height(); }
    int width() const { return trip_.table().kx().size(); }
    int count(std::size_t axis) const { return static_cast<int>(positions_[axis].size()); }
    bool x_first() const { return count(0) <= count(2); }
    std::vector<int> own_kx() const {
        std::vector<int> numbers;
        for (int i = 0; i < trip_.table().kx().size(); ++i) numbers.push_back(trip_.table().kx().at(i));
        return numbers;
    }
    std::vector<int> all_kz(const Box& box) const {
        std::vector<int> numbers;
        for (int l = 0; l < trip_.table().nz(); ++l)
            numbers.push_back(line_number(l, trip_.table().nz(), box.wall(2)));
        return numbers;
    }
    void sort(const std::vector<Position>& positions) {
        std::map<std::pair<int, int>, std::vector<PointOf>> by_line; // of z and x
        for (std::size_t n = 0; n < positions.size(); ++n) {
            const auto [x, y, z] = positions[n];
            by_line[{place_of(positions_[2], z), place_of(positions_[0], x)}].push_back(
                {0, place_of(positions_[1], y), static_cast<int>(n)});
        }
        for (auto& [zx, of_line] : by_line) {
            for (PointOf& point : of_line) {
                point.line = static_cast<int>(lines_.size());
                points_.push_back(point);
            }
            lines_.push_back({zx.second, zx.first});
        }
    }
    void on_threads(const PointSums<Real>& of) {
        trip_.device().each(1LL * inputs_.count() * height(), [&](int executor, std::int64_t r) {
            const int input = static_cast<int>(r / height()), j = static_cast<int>(r % height());
            PlaneOnThread<Device, Real>& plane = planes_[static_cast<std::size_t>(executor)];
            plane.add(of, inputs_.on_host()[input], j, x_first(), count(0));
            const bool odd = inputs_.on_host()[input].parity.y;
            for (int p = 0; p < of.count; ++p) {
                const PointOf& point = points_[static_cast<std::size_t>(p)];
                of.values[(1LL * input * of.count + p) * height() + j] =
                    (plane.of_line(point.line) * of.y.at(odd, point.y)[j]).re;
            }
        });
    }
    void on_streams(const PointSums<Real>& of) {
        for (int first = 0, point = 0; first < count(2); first += most_levels) {
            const int levels = std::min(most_levels, count(2) - first), begin = point;
            while (point < of.count &&
                   lines_[static_cast<std::size_t>(points_[static_cast<std::size_t>(point)].line)].z <
                       first + levels)
                ++point;
            trip_.device().over(1LL * inputs_.count() * levels * height(),
                                SumLevels<Real>{of, levels_.data(), first, levels});
            trip_.device().over(1LL * inputs_.count() * (point - begin),
                                SumPoints<Real>{of, levels_.data(), first, levels, begin, point - begin});
        }
        trip_.device().finish();
    }

    RoundTrip<Device, Real>& trip_;
    const exchange::Communicator& world_;
    LinearInputs<Memory, Real> inputs_;
    std::array<std::vector<double>, 3> positions_; // the different ones along each axis
    Factors x_, y_, z_;
    std::vector<LineOf> lines_;
    std::vector<PointOf> points_;
    std::array<Table<Wide>, 3> tables_;
    Table<LineOf> line_table_;
    Table<PointOf> point_table_;
    device::Buffer<double, Memory> shares_;
    std::vector<double> on_host_;                     // of another memory
    device::Buffer<Wide, Memory> levels_;             // on a GPU
    std::vector<PlaneOnThread<Device, Real>> planes_; // on threads, of each executor
};

} // namespace

template <class Device, class Real>
std::unique_ptr<Probe<Real>> probe_points(RoundTrip<Device, Real>& trip, const exchange::Communicator& world,
                                          const Box& box, const Truncation& truncation,
                                          const InputTerms& inputs, const std::vector<Position>& positions) {
    return std::make_unique<PointProbe<Device, Real>>(trip, world, box, truncation, inputs, positions);
}

#define WHORL_INSTANTIATE(Real)                                                                              \
    template std::unique_ptr<Probe<Real>> probe_points(                                                      \
        RoundTrip<device::Chosen, Real>&, const exchange::Communicator&, const Box&, const Truncation&,      \
        const InputTerms&, const std::vector<Position>&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)

} // namespace whorl::programs
