/// Kernels that fill ghosts of mesh blocks, interpolate values to a changed mesh, and pack
/// messages. Host threads or a device run each kernel over a list of operations.
#pragma once

#include <cstdint>

#include "hybridfft/grid/block_view.hpp"

namespace hybridfft::grid::kernels {

/// Numbers of cells and ghosts of a block along each axis. In two dimensions a block has 1 cell and
/// 0 ghosts along i. Loops over axes always run from 0 to 2 and test has(), so that device
/// compilers unroll them and keep arrays in registers.
struct Shape {
  Index3 cells, ghosts;
  int first_axis = 0; ///< 1 in two dimensions
  HFFT_HOST_DEVICE bool has(int axis) const { return axis >= first_axis; }
};

/// Addressing of a pool: address of point (0, 0, 0) of variable 0 of slot 0, and strides in
/// elements.
template <class T> struct Values {
  T *data;
  Index slot, variable, i, j;
  HFFT_HOST_DEVICE T *at(Index s, Index v, const Index (&p)[3]) const {
    return data + s * slot + v * variable + p[0] * i + p[1] * j + p[2];
  }
  HFFT_HOST_DEVICE Index stride(int axis) const { return axis == 0 ? i : axis == 1 ? j : 1; }
};

/// Operation that fills the ghosts of one block in one direction from one source block.
struct GhostOp {
  std::int32_t to;
  std::int32_t from; ///< source slot; EndGhosts: number of the absent tree, -1 outside all trees
  std::uint8_t step; ///< number of the direction, see number_of()
  std::uint8_t part; ///< MeanGhosts: number of the child; CoarseGhosts: half of the source block,
                     ///< bits 2, 1, 0 along i, j, k; EndGhosts: axis
  std::uint8_t end;  ///< EndGhosts: kind of end, 0 low side, 1 high side, 2 absent tree
};

HFFT_HOST_DEVICE constexpr int along(int step, int axis) {
  return (axis == 0 ? step / 9 : axis == 1 ? step / 3 % 3 : step % 3) - 1;
}
HFFT_HOST_DEVICE constexpr int bit(int part, int axis) { return part >> (2 - axis) & 1; }

/// Returns the box of ghosts in a direction.
HFFT_HOST_DEVICE inline Box ghosts_of(const Shape &s, int step) {
  Box box(Index3{}, s.cells);
  for (int a = 0; a < 3; ++a) {
    const int d = along(step, a);
    if (d < 0) box.lo[a] = -s.ghosts[a], box.hi[a] = 0;
    if (d > 0) box.lo[a] = s.cells[a], box.hi[a] = s.cells[a] + s.ghosts[a];
  }
  return box;
}

/// Fills ghosts from a neighbour of the same level.
template <class T> struct CopyGhosts {
  HFFT_HOST_DEVICE Box box(const GhostOp &op) const { return ghosts_of(shape, op.step); }
  HFFT_HOST_DEVICE void row(const GhostOp &op, Index v, const Index (&p)[3], Index count) const {
    Index q[3];
    for (int a = 0; a < 3; ++a)
      q[a] = p[a] - along(op.step, a) * shape.cells[a];
    T *const to = values.at(op.to, v, p);
    const T *const from = values.at(op.from, v, q);
    if (count == 2) { // a block with two ghosts along k has many rows of this length
      const T first = from[0], second = from[1];
      to[0] = first;
      to[1] = second;
      return;
    }
    for (Index n = 0; n < count; ++n)
      to[n] = from[n];
  }
  Shape shape;
  Values<T> values;
};

/// Fills ghosts from a finer neighbour: each ghost is the mean of 2^d fine cells.
template <class T> struct MeanGhosts {
  HFFT_HOST_DEVICE Box box(const GhostOp &op) const {
    Box b = ghosts_of(shape, op.step);
    for (int a = 0; a < 3; ++a)
      if (shape.has(a) && along(op.step, a) == 0) {
        b.lo[a] = bit(op.part, a) * (shape.cells[a] / 2);
        b.hi[a] = b.lo[a] + shape.cells[a] / 2;
      }
    return b;
  }
  HFFT_HOST_DEVICE void row(const GhostOp &op, Index v, const Index (&p)[3], Index count) const {
    Index q[3] = {p[0], p[1], p[2]};
    for (int a = 0; a < 3; ++a)
      if (shape.has(a))
        q[a] = 2 * (p[a] - along(op.step, a) * shape.cells[a]) - bit(op.part, a) * shape.cells[a];
    T *const to = values.at(op.to, v, p);
    const T *const from = values.at(op.from, v, q);
    for (Index n = 0; n < count; ++n)
      to[n] = mean_of(values, from + 2 * n, shape.first_axis);
  }
  /// Returns the mean of 2^d values: adds pairs along k first, then along j, then along i.
  HFFT_HOST_DEVICE static T mean_of(const Values<T> &values, const T *f, int first_axis) {
    T sum = 0;
    for (int a = 0; a < 2; ++a) {
      if (a > 0 && first_axis > 0) break;
      for (int b = 0; b < 2; ++b)
        for (int c = 0; c < 2; ++c)
          sum += f[a * values.i + b * values.j + c];
    }
    return sum * T(first_axis == 0 ? 0.125 : 0.25);
  }
  Shape shape;
  Values<T> values;
};

/// Returns the slope of a cell from its value and those of its two neighbours.
template <class T> HFFT_HOST_DEVICE T slope(T low, T at, T high, Interpolation interpolation) {
  if (interpolation == Interpolation::copy) return T(0);
  const T central = T(0.5) * (high - low);
  if (interpolation == Interpolation::linear) return central;
  const T e = 2 * (at - low), f = 2 * (high - at);
  const T size = central < 0 ? -central : central;
  const T first = e < 0 ? -e : e, second = f < 0 ? -f : f;
  const T least = first < second ? first : second;
  const T cut = size < least ? size : least;
  const T limited = central < 0 ? -cut : cut;
  return e * f > 0 ? limited : T(0);
}

/// Interpolates a fine cell from coarse cell c: its value plus or minus a quarter of each slope.
/// upper[a] is 1 for plus along axis a, 0 for minus.
template <class T>
HFFT_HOST_DEVICE T interpolated(const Values<T> &values, const T *c, const int (&upper)[3],
                                int first_axis, Interpolation interpolation) {
  T total = 0;
  for (int a = 0; a < 3; ++a) {
    if (a < first_axis) continue;
    const Index d = values.stride(a);
    const T s = slope(c[-d], c[0], c[d], interpolation);
    total += upper[a] != 0 ? s : -s;
  }
  return c[0] + T(0.25) * total;
}

/// Fills ghosts from a coarser neighbour by interpolation.
template <class T> struct CoarseGhosts {
  HFFT_HOST_DEVICE Box box(const GhostOp &op) const { return ghosts_of(shape, op.step); }
  /// Computes a row of ghosts with the same rounding as interpolated(). Two fine points share the
  /// slopes of their coarse cell.
  HFFT_HOST_DEVICE void row(const GhostOp &op, Index v, const Index (&p)[3], Index count) const {
    Index q[3] = {p[0], p[1], p[2]};
    T sign[3] = {0, 0, 0};
    for (int a = 0; a < 3; ++a) {
      if (!shape.has(a)) continue;
      const Index at = p[a] - along(op.step, a) * shape.cells[a];
      q[a] = at / 2 + bit(op.part, a) * (shape.cells[a] / 2);
      sign[a] = at % 2 != 0 ? T(1) : T(-1);
    }
    T *const to = values.at(op.to, v, p);
    const T *c = values.at(op.from, v, q);
    for (Index n = 0; n < count; ++c) {
      T across = 0;
      for (int a = 0; a < 2; ++a) {
        if (!shape.has(a)) continue;
        const Index d = values.stride(a);
        across += sign[a] * slope(c[-d], c[0], c[d], interpolation);
      }
      const T s = slope(c[-1], c[0], c[1], interpolation);
      if (sign[2] < 0) to[n++] = c[0] + T(0.25) * (across - s);
      if (n < count) to[n++] = c[0] + T(0.25) * (across + s);
      sign[2] = -1;
    }
  }
  Shape shape;
  Values<T> values;
  Interpolation interpolation;
};

/// Fills ghosts beyond ends of the domain, by the rule of each end.
template <class T> struct EndGhosts {
  HFFT_HOST_DEVICE Box box(const GhostOp &op) const {
    return end_of(op) == End::keep && !in_tree(op) ? Box() : ghosts_of(shape, op.step);
  }
  /// True if the ghosts get the constant value of their absent tree.
  HFFT_HOST_DEVICE bool in_tree(const GhostOp &op) const {
    return of_trees != nullptr && op.from >= 0;
  }
  HFFT_HOST_DEVICE void cell(const GhostOp &op, Index v, const Index (&p)[3]) const {
    if (in_tree(op)) {
      *values.at(op.to, v, p) = of_trees[op.from];
      return;
    }
    const bool wall = end_of(op) == End::wall;
    Index q[3] = {p[0], p[1], p[2]};
    for (int a = 0; a < 3; ++a) {
      if (a != op.part) continue;
      const Index n = shape.cells[a];
      q[a] = p[a] < 0 ? (wall ? -1 - p[a] : 0) : (wall ? 2 * n - 1 - p[a] : n - 1);
    }
    const T value = *values.at(op.to, v, q);
    *values.at(op.to, v, p) = wall && vector >= 0 && v == vector + 2 - op.part ? -value : value;
  }
  HFFT_HOST_DEVICE End end_of(const GhostOp &op) const {
    End end = absent;
    for (int side = 0; side < 6;
         ++side) // a loop, since kernels cannot index parameters at run time
      if (op.end != 2 && side == 2 * op.part + op.end) end = sides[side];
    return end;
  }
  Shape shape;
  Values<T> values;
  End sides[6];
  End absent;
  int vector;
  const T *of_trees; ///< constant ghost value of each absent tree; nullptr: use the rule `absent`
};

/// Operation that replaces fluxes of a coarse block on a face shared with one finer block.
struct FluxOp {
  std::int32_t to, from;
  std::uint8_t side; ///< side of the coarse block: 0 low, 1 high
  std::uint8_t part; ///< number of the child position of the finer block: the bits of the other
                     ///< axes give the half of the coarse face that it covers
};

template <class T> struct MeanFluxes {
  HFFT_HOST_DEVICE Box box(const FluxOp &op) const {
    Box b(Index3{}, shape.cells);
    for (int a = 0; a < 3; ++a) {
      if (!shape.has(a)) continue;
      b.lo[a] = a == axis ? op.side * shape.cells[a] : bit(op.part, a) * (shape.cells[a] / 2);
      b.hi[a] = a == axis ? b.lo[a] + 1 : b.lo[a] + shape.cells[a] / 2;
    }
    return b;
  }
  HFFT_HOST_DEVICE void cell(const FluxOp &op, Index v, const Index (&p)[3]) const {
    Index q[3] = {p[0], p[1], p[2]};
    int twice[3] = {0, 0, 0};
    for (int a = 0; a < 3; ++a) {
      if (!shape.has(a)) continue;
      const Index n = shape.cells[a];
      q[a] = a == axis ? n - op.side * n : 2 * p[a] - bit(op.part, a) * n;
      twice[a] = a == axis ? 0 : 1;
    }
    const T *f = values.at(op.from, v, q);
    T sum = 0;
    for (int a = 0; a <= twice[0]; ++a)
      for (int b = 0; b <= twice[1]; ++b)
        for (int c = 0; c <= twice[2]; ++c)
          sum += f[a * values.i + b * values.j + c];
    *values.at(op.to, v, p) = sum / T(shape.first_axis == 0 ? 4 : 2);
  }
  Shape shape;
  Values<T> values;
  int axis;
};

/// Operation that copies one node to another. Element numbers count from the first ghost of a
/// block.
struct NodeOp {
  std::int32_t to, to_node, from, from_node;
};

template <class T> struct CopyNodes {
  HFFT_HOST_DEVICE void operator()(Index, Index v, Index n) const {
    const NodeOp &op = ops[n];
    first[op.to * values.slot + v * values.variable + op.to_node] =
        first[op.from * values.slot + v * values.variable + op.from_node];
  }
  const NodeOp *ops;
  Values<T> values;
  T *first; ///< address of the first ghost of slot 0
};

/// Operation that sets a node to the mean of the coarse nodes around it.
struct NodeLine {
  std::int32_t to, to_node, from;
  std::int32_t nodes[8]; ///< 2^d entries; a node may occur several times
};

template <class T> struct MeanNodes {
  HFFT_HOST_DEVICE void operator()(Index, Index v, Index n) const {
    const NodeLine &op = ops[n];
    const T *f = first + op.from * values.slot + v * values.variable;
    T sum = 0;
    for (int q = 0; q < count; ++q)
      sum += f[op.nodes[q]];
    first[op.to * values.slot + v * values.variable + op.to_node] = sum / T(count);
  }
  const NodeLine *ops;
  Values<T> values;
  T *first;
  int count; ///< number of coarse nodes of an operation, 2^d
};

/// Location of a value sent in a message.
struct ElementPlace {
  std::int32_t slot, element; ///< element number, counted from the first ghost
};

/// Packs the listed elements into a message, one variable after another.
template <class T> struct Pack {
  HFFT_HOST_DEVICE void operator()(Index, Index v, Index n) const {
    buffer[v * count + n] =
        first[places[n].slot * values.slot + v * values.variable + places[n].element];
  }
  const ElementPlace *places;
  Index count;
  Values<T> values;
  T *first;
  T *buffer;
};

/// Unpacks a message of Pack.
template <class T> struct Unpack {
  HFFT_HOST_DEVICE void operator()(Index, Index v, Index n) const {
    first[places[n].slot * values.slot + v * values.variable + places[n].element] =
        buffer[v * count + n];
  }
  const ElementPlace *places;
  Index count;
  Values<T> values;
  T *first;
  const T *buffer;
};

/// Operation that computes a block of a changed mesh from a block of the old mesh.
struct CarryOp {
  std::int32_t to, from;
  std::uint8_t part; ///< octant of the parent: bits 2, 1, 0 along i, j, k
};

/// Interpolates the cells of a child from its parent. Reads the parent's ghosts.
template <class T> struct RefineCells {
  HFFT_HOST_DEVICE Box box(const CarryOp &) const { return Box(Index3{}, shape.cells); }
  HFFT_HOST_DEVICE void cell(const CarryOp &op, Index v, const Index (&p)[3]) const {
    Index q[3] = {p[0], p[1], p[2]};
    int upper[3] = {0, 0, 0};
    for (int a = 0; a < 3; ++a) {
      if (!shape.has(a)) continue;
      q[a] = p[a] / 2 + bit(op.part, a) * (shape.cells[a] / 2);
      upper[a] = static_cast<int>(p[a] % 2);
    }
    *values.at(op.to, v, p) = interpolated(values, static_cast<const T *>(values.at(op.from, v, q)),
                                           upper, shape.first_axis, interpolation);
  }
  Shape shape;
  Values<T> values;
  Interpolation interpolation;
};

/// Computes the cells of a parent that lie in one child, as means of the child's cells.
template <class T> struct CoarsenCells {
  HFFT_HOST_DEVICE Box box(const CarryOp &op) const {
    Box b(Index3{}, shape.cells);
    for (int a = 0; a < 3; ++a) {
      if (!shape.has(a)) continue;
      b.lo[a] = bit(op.part, a) * (shape.cells[a] / 2);
      b.hi[a] = b.lo[a] + shape.cells[a] / 2;
    }
    return b;
  }
  HFFT_HOST_DEVICE void cell(const CarryOp &op, Index v, const Index (&p)[3]) const {
    Index q[3] = {p[0], p[1], p[2]};
    for (int a = 0; a < 3; ++a)
      if (shape.has(a)) q[a] = 2 * p[a] - bit(op.part, a) * shape.cells[a];
    *values.at(op.to, v, p) =
        MeanGhosts<T>::mean_of(values, values.at(op.from, v, q), shape.first_axis);
  }
  Shape shape;
  Values<T> values;
};

/// Computes the nodes of a child from its parent, by linear interpolation along i, j and k.
template <class T> struct RefineNodes {
  HFFT_HOST_DEVICE Box box(const CarryOp &) const {
    Box b(Index3{}, shape.cells);
    for (int a = 0; a < 3; ++a)
      if (shape.has(a)) ++b.hi[a];
    return b;
  }
  /// Interpolates along axes 0 to A: takes the mean of two nodes along each axis where `odd` is 1.
  template <int A> HFFT_HOST_DEVICE T along_axes(const T *f, const Index (&odd)[3]) const {
    if constexpr (A < 0) {
      return *f;
    } else {
      const T low = along_axes<A - 1>(f, odd);
      return odd[A] == 0 ? low : T(0.5) * (low + along_axes<A - 1>(f + values.stride(A), odd));
    }
  }
  HFFT_HOST_DEVICE void cell(const CarryOp &op, Index v, const Index (&p)[3]) const {
    Index q[3] = {p[0], p[1], p[2]}, odd[3] = {0, 0, 0};
    for (int a = 0; a < 3; ++a) {
      if (!shape.has(a)) continue;
      q[a] = p[a] / 2 + bit(op.part, a) * (shape.cells[a] / 2);
      odd[a] = p[a] % 2;
    }
    *values.at(op.to, v, p) = along_axes<2>(values.at(op.from, v, q), odd);
  }
  Shape shape;
  Values<T> values;
};

/// Copies the nodes of a child to the coinciding nodes of its parent.
template <class T> struct CoarsenNodes {
  HFFT_HOST_DEVICE Box box(const CarryOp &op) const {
    Box b(Index3{}, shape.cells);
    for (int a = 0; a < 3; ++a) {
      if (!shape.has(a)) continue;
      b.lo[a] = bit(op.part, a) * (shape.cells[a] / 2);
      b.hi[a] = b.lo[a] + shape.cells[a] / 2 + 1;
    }
    return b;
  }
  HFFT_HOST_DEVICE void cell(const CarryOp &op, Index v, const Index (&p)[3]) const {
    Index q[3] = {p[0], p[1], p[2]};
    for (int a = 0; a < 3; ++a)
      if (shape.has(a)) q[a] = 2 * p[a] - bit(op.part, a) * shape.cells[a];
    *values.at(op.to, v, p) = *values.at(op.from, v, q);
  }
  Shape shape;
  Values<T> values;
};

/// Copies the contents of slot `from` to slot `to`, element by element.
template <class T> struct CopySlot {
  HFFT_HOST_DEVICE void operator()(Index, Index, Index n) const {
    first[to * slot + n] = first[from * slot + n];
  }
  T *first;
  Index slot, to, from;
};

/// Runs a kernel along a row: by its row() if it has one, else by cell() for each point.
template <class Kernel, class Op>
HFFT_HOST_DEVICE void run_row(const Kernel &kernel, const Op &op, Index v, const Index (&first)[3],
                              Index count) {
  if constexpr (requires { kernel.row(op, v, first, count); }) {
    kernel.row(op, v, first, count);
  } else {
    for (Index k = first[2]; k < first[2] + count; ++k) {
      const Index p[3] = {first[0], first[1], k};
      kernel.cell(op, v, p);
    }
  }
}

/// Runs `Kernel` over a list of operations; the indices are (operation, variable, point).
template <class Kernel, class Op> struct OnList {
  HFFT_HOST_DEVICE void operator()(Index n, Index v, Index t) const {
    const Op &op = ops[n];
    const Box b = kernel.box(op);
    const Index n1 = b.extent(1), n2 = b.extent(2);
    if (t >= b.extent(0) * n1 * n2) return;
    const Index p[3] = {b.lo[0] + t / (n1 * n2), b.lo[1] + t / n2 % n1, b.lo[2] + t % n2};
    run_row(kernel, op, v, p, 1);
  }
  const Op *ops;
  Kernel kernel;
};

} // namespace hybridfft::grid::kernels
