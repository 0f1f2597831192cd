/// The caller's work on the rows of a local basis' periods. A part of local_fourier.cpp.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>

#include "kspace/operators/local_fourier.h"

namespace hybridfft::kspace::HFFT_KSPACE_PRECISION {

/// Work on the rows of a period that a block has points in, as rows of this rank's part.
class LocalFourier::CoreKernel final : public RowKernel {
public:
  CoreKernel(LocalFourier &owner, Block &block, const RowKernel &kernel, Operator op,
             std::span<const Output> outputs)
      : owner_(owner), block_(block), kernel_(kernel), op_(op), outputs_(outputs) {}

  bool components_apart() const override { return kernel_.components_apart(); }
  void begin(const Row &row, OutputRows out) const override {
    if (inside(row)) kernel_.begin(of_rank(row), rows(row, out).data());
  }
  void component(int c, const Row &row, const Real *values, OutputRows out) const override {
    if (!inside(row)) return;
    const Rows rows = this->rows(row, out);
    const Row mine = of_rank(row);
    if (owner_.far_field_ != nullptr && is_laplacian(op_))
      values = owner_.far_field_->add(op_, c, mine, values);
    kernel_.component(c, mine, values, rows.data());
    if (op_ == Operator::gradient) store(static_cast<std::size_t>(c), row, rows);
    if (omp_get_thread_num() == 0) owner_.poll();
  }
  void end(const Row &row, OutputRows out) const override {
    if (!inside(row)) return;
    const Rows rows = this->rows(row, out);
    kernel_.end(of_rank(row), rows.data());
    for (std::size_t o = 0; o < outputs_.size(); ++o)
      store(o, row, rows);
  }
  /// Component c of a gradient is complete when the last block has completed it.
  void completed(int c) const override {
    const auto o = static_cast<std::size_t>(c);
    if (&block_ == &owner_.blocks_.back() && o < outputs_.size())
      owner_.start_operand(o, outputs_[o]);
  }

  std::ptrdiff_t planes_first() const override { return owner_.planes_first_; }
  void ends_completed(int c) const override { owner_.start_early(c, outputs_); }

private:
  using Rows = std::array<Real *, most_outputs>;

  bool inside(const Row &row) const {
    return row.i < block_.core.extent(0) && row.j < block_.core.extent(1);
  }
  Row of_rank(const Row &row) const {
    return {row.i + block_.offset[0], row.j + block_.offset[1], block_.offset[2],
            block_.core.extent(2)};
  }
  Rows rows(const Row &row, OutputRows out) const {
    const Row mine = of_rank(row);
    Rows rows{};
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      const Output &output = outputs_[o];
      if (output.use == Output::Use::skip) continue;
      if (output.field != nullptr)
        rows[o] = output.field->row(owner_.local_, mine.i, mine.j) + mine.first;
      else if (output.use == Output::Use::row || owner_.slabs_)
        rows[o] = out[o];
      else
        rows[o] = block_.operands[place_of(o, output)].row(block_.period, row.i, row.j);
    }
    return rows;
  }
  /// Copies a row of an operand that is to be exchanged, or transformed later, into its period,
  /// unless it was computed there.
  void store(std::size_t o, const Row &row, const Rows &rows) const {
    if (o >= outputs_.size() || outputs_[o].use != Output::Use::operand) return;
    const Output &output = outputs_[o];
    const bool there = output.field != nullptr ? owner_.in_place() : !owner_.slabs_;
    if (there || (owner_.slabs_ && !owner_.is_sent(output, row.i))) return;
    std::copy_n(rows[o], block_.core.extent(2),
                block_.operands[place_of(o, output)].row(block_.period, row.i, row.j));
  }

  LocalFourier &owner_;
  Block &block_;
  const RowKernel &kernel_;
  Operator op_;
  std::span<const Output> outputs_;
};

} // namespace hybridfft::kspace::HFFT_KSPACE_PRECISION
