/// A property of the medium: one value for the whole grid, or one per point.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "kspace/field.h"
#include "kspace/input_file.h"

namespace hybridfft::kspace {

class Coefficient {
public:
  using View = std::variant<grid::Uniform<float>, grid::View<const float>>;

  Coefficient() = default;
  /// Reads a dataset that is [1][1][1] or [Nz][Ny][Nx]. Throws InputError unless all its values
  /// are finite and positive. Collective.
  static Coefficient read_positive(const InputFile &file, const std::string &dataset,
                                   const Slab &slab, grid::Host host,
                                   const grid::Communicator &comm);

  bool uniform() const { return field_.data() == nullptr; }
  /// What a lambda of parallel_for reads it by (std::visit it).
  View view() const;
  /// Largest value on any rank. Collective.
  double max(const grid::Communicator &comm) const;

  /// Replaces each value v by f(v), in double precision.
  template <class F> void transform(const F &f) {
    if (uniform()) {
      value_ = static_cast<float>(f(static_cast<double>(value_)));
      return;
    }
    const grid::View<float> v = field_.view(slab_.value());
    grid::parallel_for(host_, slab_->real(), [=](auto z, auto y, auto x) {
      v(z, y, x) = static_cast<float>(f(static_cast<double>(v(z, y, x))));
    });
  }

private:
  float value_ = 0;
  Field field_;
  std::optional<Slab> slab_;
  grid::Host host_;
};

} // namespace hybridfft::kspace
