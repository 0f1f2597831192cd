#include "kspace/input_writer.h"

namespace hybridfft::test {

InputWriter::InputWriter(const kspace::Extents &n, std::uint64_t steps) : n_(n) {
  attributes_ = {{"created_by", "a test"},
                 {"creation_date", "01-Jan-2026-00-00-00"},
                 {"file_description", "made for a test"},
                 {"file_type", "input"},
                 {"major_version", "1"},
                 {"minor_version", "2"}};
  integer("Nx", n[0]).integer("Ny", n[1]).integer("Nz", n[2]);
  integer("Nt", static_cast<std::int64_t>(steps));
  real("dt", 2e-7).real("dx", 1e-3).real("dy", 1.2e-3).real("dz", 0.9e-3);
  real("c_ref", 1500).real("c0", 1500).real("rho0", 1000);
  real("rho0_sgx", 1000).real("rho0_sgy", 1000).real("rho0_sgz", 1000);
  for (const char *axis : {"x", "y", "z"}) {
    integer(std::string("pml_") + axis + "_size", 0);
    real(std::string("pml_") + axis + "_alpha", 2);
    integer(std::string("u") + axis + "_source_flag", 0);
  }
  for (const char *flag :
       {"axisymmetric_flag", "nonuniform_grid_flag", "nonlinear_flag", "absorbing_flag",
        "p0_source_flag", "p_source_flag", "transducer_source_flag", "sensor_mask_type"})
    integer(flag, 0);
  indices("sensor_mask_index", {1});
}

InputWriter &InputWriter::integer(const std::string &name, std::int64_t value) {
  datasets_[name] = {{1, 1, 1}, std::vector<std::int64_t>{value}};
  return *this;
}

InputWriter &InputWriter::real(const std::string &name, double value) {
  return array(name, {1, 1, 1}, std::vector<float>{static_cast<float>(value)});
}

InputWriter &InputWriter::field(const std::string &name, std::vector<float> values) {
  return array(name,
               {static_cast<std::size_t>(n_[2]), static_cast<std::size_t>(n_[1]),
                static_cast<std::size_t>(n_[0])},
               std::move(values));
}

InputWriter &InputWriter::indices(const std::string &name, std::vector<std::uint64_t> values) {
  const std::size_t n = values.size();
  return array(name, {1, 1, n}, std::move(values));
}

InputWriter &InputWriter::array(const std::string &name, io::Shape shape,
                                std::vector<float> values) {
  datasets_[name] = {std::move(shape), std::move(values)};
  return *this;
}

InputWriter &InputWriter::array(const std::string &name, io::Shape shape,
                                std::vector<std::uint64_t> values) {
  datasets_[name] = {std::move(shape), std::move(values)};
  return *this;
}

InputWriter &InputWriter::array(const std::string &name, io::Shape shape,
                                std::vector<double> values) {
  datasets_[name] = {std::move(shape), std::move(values)};
  return *this;
}

InputWriter &InputWriter::remove(const std::string &name) {
  datasets_.erase(name);
  return *this;
}

InputWriter &InputWriter::attribute(const std::string &name, const std::string &value) {
  attributes_[name] = value;
  return *this;
}

std::vector<std::string> InputWriter::names() const {
  std::vector<std::string> all;
  for (const auto &[name, dataset] : datasets_)
    all.push_back(name);
  return all;
}

InputWriter &InputWriter::set_value(const std::string &name, std::size_t at, double value) {
  std::visit(
      [&](auto &values) {
        using Value = typename std::decay_t<decltype(values)>::value_type;
        const bool fits = std::is_floating_point_v<Value> || (value >= 0 && value < 1e18);
        values[at % values.size()] = fits ? static_cast<Value>(value) : Value{0};
      },
      datasets_.at(name).values);
  return *this;
}

std::size_t InputWriter::point(std::ptrdiff_t x, std::ptrdiff_t y, std::ptrdiff_t z) const {
  return static_cast<std::size_t>(x + n_[0] * (y + n_[1] * z));
}

std::size_t InputWriter::points() const { return static_cast<std::size_t>(n_[0] * n_[1] * n_[2]); }

void InputWriter::write(const std::string &path, MPI_Comm comm) const {
  io::File file = io::File::create(path, comm);
  const auto attribute = [&](const std::string &name, const std::string &fallback) {
    const auto found = attributes_.find(name);
    return found == attributes_.end() ? fallback : found->second;
  };
  const auto put = [&](const std::string &object, const std::string &name,
                       const std::string &value) {
    if (!value.empty()) file.set_attribute(object, name, value);
  };
  for (const auto &[name, dataset] : datasets_) {
    std::visit([&, &key = name,
                &shape = dataset.shape](const auto &values) { file.write_all(key, shape, values); },
               dataset.values);
    const char *type = "long";
    if (std::holds_alternative<std::vector<float>>(dataset.values)) type = "float";
    if (std::holds_alternative<std::vector<double>>(dataset.values)) type = "double";
    put(name, "data_type", attribute(name + "/data_type", type));
    put(name, "domain_type", attribute(name + "/domain_type", "real"));
  }
  for (const auto &[name, value] : attributes_)
    if (name.find('/') == std::string::npos) put("/", name, value);
  file.commit();
}

} // namespace hybridfft::test
