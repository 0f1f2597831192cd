#include "kspace/coefficient.h"

#include <algorithm>

namespace hybridfft::kspace {

Coefficient Coefficient::read_positive(const InputFile &file, const std::string &dataset,
                                       const Slab &slab, grid::Host host,
                                       const grid::Communicator &comm) {
  Coefficient c;
  c.slab_ = slab;
  c.host_ = host;
  if (file.is_scalar(dataset)) {
    c.value_ = file.positive(dataset);
    return c;
  }
  comm.agree([&] { c.field_ = Field(slab.real_size(), host.threads); });
  file.field(dataset, slab, InputFile::Values::positive, c.field_);
  return c;
}

Coefficient::View Coefficient::view() const {
  if (uniform()) return grid::Uniform<float>{value_};
  return grid::View<const float>{field_.data(), slab_->real().n1, slab_->pitch()};
}

double Coefficient::max(const grid::Communicator &comm) const {
  float largest = value_;
  if (!uniform()) {
    const grid::View<float> v = field_.view(*slab_);
    const grid::Box box = slab_->real();
    for (std::ptrdiff_t z = 0; z < box.n0; ++z)
      for (std::ptrdiff_t y = 0; y < box.n1; ++y)
        largest = std::max(largest, *std::max_element(&v(z, y, 0), &v(z, y, 0) + box.n2));
  }
  return comm.max(static_cast<double>(largest));
}

} // namespace hybridfft::kspace
