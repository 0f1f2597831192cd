/// Base of all engines of Transformer: owns the array and moves it between files and memory.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "base/mpi.h"
#include "base/threads.h"
#include "support/transformer.h"

namespace hybridfft::tools {

/// A rank's box of a dataset, and the layout of its array in memory, padding included.
struct ArrayPlace {
  io::Hyperslab box;
  io::MemoryLayout memory;
};

inline ArrayPlace place_of(const LayoutView &view) {
  ArrayPlace place;
  const std::vector<AxisLayout> &axes = view.layout().axes();
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const int axis = static_cast<int>(d);
    place.box.offset.push_back(static_cast<std::size_t>(view.start(axis)));
    place.box.count.push_back(static_cast<std::size_t>(view.count(axis)));
    place.memory.extent.push_back(place.box.count.back() +
                                  static_cast<std::size_t>(axes[d].padding));
  }
  return place;
}

/// Base of the engines; Real is float or double. An engine adds the boxes of this rank's input and
/// output, and the transform.
template <class Real, Kind K> class ArrayTransformer : public Transformer {
public:
  using In = typename Elements<Real, K>::In;
  using Out = typename Elements<Real, K>::Out;

  ArrayTransformer(const TransformProblem &problem, MPI_Comm comm)
      : problem_(problem), comm_(comm) {}

  void read(const io::File &file, const std::string &dataset) override {
    const ArrayPlace place = place_of(in_);
    file.read(dataset, place.box, input(), place.memory);
  }

  void scale(double factor) override {
    const Real f = static_cast<Real>(factor);
    Real *numbers = array_.data();
    parallel_ranges(static_cast<std::ptrdiff_t>(array_.size()), threads(),
                    [=](std::ptrdiff_t first, std::ptrdiff_t last, int) {
                      for (std::ptrdiff_t i = first; i < last; ++i)
                        numbers[i] *= f;
                    });
  }

  void write(io::File &file, const std::string &dataset) const override {
    io::Shape shape(problem_.extents.begin(), problem_.extents.end());
    if constexpr (K == Kind::r2c) shape.back() = shape.back() / 2 + 1;
    file.create_dataset<Out>(dataset, shape);
    const ArrayPlace place = place_of(out_);
    file.write(dataset, place.box, reinterpret_cast<const Out *>(array_.data()), place.memory);
  }

protected:
  const TransformProblem &problem() const { return problem_; }
  MPI_Comm comm() const { return comm_; }
  In *input() { return reinterpret_cast<In *>(array_.data()); }
  Out *output() { return reinterpret_cast<Out *>(array_.data()); }
  int threads() const { return problem_.threads != 0 ? problem_.threads : omp_get_max_threads(); }

  /// Sets the boxes of input and output and allocates memory for both.
  void place(const LayoutView &in, const LayoutView &out, std::size_t bytes) {
    in_ = in;
    out_ = out;
    mpi::all_or_none(comm_, [&] {
      try {
        array_ = Buffer<Real>((bytes + sizeof(Real) - 1) / sizeof(Real));
      } catch (const Error &) { // replaced: this error's message counts elements, not bytes
        throw OutOfMemory(bytes);
      }
    });
  }

private:
  TransformProblem problem_;
  MPI_Comm comm_;
  LayoutView in_, out_;
  Buffer<Real> array_;
};

/// Creates an engine for the problem's precision and kind.
template <template <class, Kind> class Implementation>
std::unique_ptr<Transformer> make_typed(const TransformProblem &p, MPI_Comm comm) {
  const auto of = [&]<class Real>(Real) -> std::unique_ptr<Transformer> {
    switch (p.kind) {
    case Kind::c2c:
      return std::make_unique<Implementation<Real, Kind::c2c>>(p, comm);
    case Kind::r2c:
      return std::make_unique<Implementation<Real, Kind::r2c>>(p, comm);
    default:
      break;
    }
    return std::make_unique<Implementation<Real, Kind::c2r>>(p, comm);
  };
  return p.double_precision ? of(double{}) : of(float{});
}

std::unique_ptr<Transformer> make_hybrid_transformer(const TransformProblem &p, MPI_Comm comm);
std::unique_ptr<Transformer> make_fftw_transformer(const TransformProblem &p, MPI_Comm comm);

} // namespace hybridfft::tools
