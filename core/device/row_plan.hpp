// Real rows to points and back, a block of rows at a time, for processors with vectors. Every lane of a
// vector is a pair of rows (rows.hpp): the copy that merges, pads, separates and truncates transposes rows
// into lanes as well. Points are evaluated between the last inverse and the first forward step, some at a
// time, in the innermost cache.
#pragma once

#include <algorithm>

#include "base/parity.hpp"
#include "device/fold.hpp"
#include "device/lane_steps.hpp"
#include "device/line_plan.hpp"
#include "device/rows.hpp"

namespace whorl::device {

template <class Real> class RowPlan {
  public:
    static constexpr int lanes = vector_bytes / static_cast<int>(sizeof(Real));
    static constexpr int rows = 2 * lanes; // of a block
    using Vector = typename VectorOf<Real, vector_bytes>::type;
    using Value = Split<Vector>;

    // Rows of n points of which `kept` modes are not zero.
    RowPlan(int n, int kept, bool walls);

    // A block of rows: its shares and their number, its first row and the number of its rows.
    struct Block {
        const RowShare<Real>* shares;
        int number, first_row, count;
    };
    // The numbers of input and output variables, and their parities, which matter between walls.
    struct Sides {
        int inputs, outputs;
        const Parity* parity_in;
        const Parity* parity_out;
        bool sine_in(int v) const { return parity_in[v].x; }
        bool sine_out(int v) const { return parity_out[v].x; }
    };
    // Modes of `inputs` variables -> points -> modes of `outputs` variables times `scale`. work(points)
    // replaces the inputs by the outputs at every point; rows past the block's count repeat its last row as
    // inputs, and may have any finite outputs. The imaginary part of mode 0 is taken as zero.
    template <class Work>
    void through(const Block& block, const Sides& sides, Real scale, Complex<Real>* workspace,
                 const Work& work) const {
        run(block, sides, scale, reinterpret_cast<Value*>(workspace),
            {&work,
             [](const void* of, const RowPoints<Real>& points) { (*static_cast<const Work*>(of))(points); }});
    }
    // Complex numbers of workspace that through() needs; they begin on a cache line.
    std::int64_t workspace(int inputs, int outputs) const;

  private:
    struct Work {
        const void* of;
        void (*call)(const void* of, const RowPoints<Real>& points);
    };
    void run(const Block& block, const Sides& sides, Real scale, Value* workspace, const Work& work) const;
    void begin(const Block& block, int v, bool sine, Value* line, Value* ordered) const;
    void end(const Block& block, int v, bool sine, Real scale, Value* line, Value* ordered) const;
    template <bool walled> void merge(const Block& block, int v, Value* line) const;
    template <bool walled> void separate(const Block& block, int v, Real scale, Value* line) const;

    std::int64_t line_values() const { return inverse_.points() + 1; }
    // Values of a variable at the points of one call of work(): few enough for the first cache, enough for a
    // loop.
    static constexpr int point_values = std::max(2048 / static_cast<int>(sizeof(Value)), largest_own_radix);

    LaneSteps<Real> inverse_, forward_; // forward begins with the radix with which inverse ends
    Dropped dropped_;
    // Positions of the points between the first and the last forward step: the results u of a butterfly of
    // the last inverse step stay in place, and are the points p + m t of one of the first forward step.
    std::vector<int> positions_;
    bool walls_;
    WallFold<Real> fold_;
};

} // namespace whorl::device
