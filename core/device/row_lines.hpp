// Real rows through points and back, a block of rows at a time, for processors with vectors. Two rows travel
// as one complex line, which halves the work:
//   inverse  Z_k = A_k + i B_k,  Z_{n-k} = A_k* + i B_k*         a = Re z, b = Im z
//   forward  A_k = (Z_k + Z_{n-k}*) / 2,  B_k = (Z_k - Z_{n-k}*) / 2i
// and every lane of a vector is such a pair: the copy that merges, pads, separates and truncates transposes
// rows into lanes as well. Points are worked on between the last inverse and the first forward pass, some at
// a time, in the innermost cache.
#pragma once

#include "device/lane_passes.hpp"
#include "device/lines.hpp"
#include "device/rows.hpp"

namespace whorl::device {

template <class Real> class RowLines {
  public:
    static constexpr int lanes = widest_vector / static_cast<int>(sizeof(Real));
    static constexpr int rows = 2 * lanes; // of a block
    using Vector = typename VectorOf<Real, widest_vector>::type;
    using Value = Split<Vector>;

    // Rows of n points of which `kept` modes are not zero.
    RowLines(int n, int kept);

    // Where the modes of a block lie, in how many pieces; its first row and how many there are.
    struct Block {
        const HalfRows<Real>* pieces;
        int number, first_row, count;
    };
    // Modes of `inputs` variables -> points -> modes of `outputs` variables times `scale`. work(points)
    // replaces the inputs by the outputs at every point; rows past the block's count repeat its last going in
    // and may hold anything finite coming out. The imaginary part of mode 0 is taken for zero.
    template <class Work>
    void through(const Block& block, int inputs, int outputs, Real scale, Complex<Real>* workspace,
                 const Work& work) const {
        run(block, inputs, outputs, scale, reinterpret_cast<Value*>(workspace),
            {&work,
             [](const void* of, const RowPoints<Real>& points) { (*static_cast<const Work*>(of))(points); }});
    }
    // Complex numbers `through` works in; they begin on a cache line.
    std::int64_t workspace(int inputs, int outputs) const;

  private:
    struct Work {
        const void* of;
        void (*call)(const void* of, const RowPoints<Real>& points);
    };
    void run(const Block& block, int inputs, int outputs, Real scale, Value* workspace,
             const Work& work) const;
    void merge(const Block& block, int v, Value* line) const;
    void separate(const Block& block, int v, Real scale, Value* line) const;

    std::int64_t line_values() const { return inverse_.points() + 1; }

    LanePasses<Real> inverse_, forward_; // forward begins with the radix with which inverse ends
    Dropped dropped_;
    std::vector<int> slots_; // of the points between the first and the last pass of forward
};

} // namespace whorl::device
