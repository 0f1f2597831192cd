// hybridfft._core.Vote: one small reduction that informs all ranks of failures and their reason.
#include "bindings.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include <hybridfft/hybridfft.hpp>

namespace nb = nanobind;

namespace hybridfft::python {
namespace {

/// The data of a vote. The result has all bits of all ranks, and one of their texts: the last in
/// the order of strcmp(). Texts are terminated by a null character.
struct Ballot {
  std::uint64_t bits = 0;
  std::array<char, 504> text{};
};
static_assert(sizeof(Ballot) == 512);

// NOLINTNEXTLINE(readability-non-const-parameter): MPI's type
void unite(void *in, void *inout, int *n, MPI_Datatype *) {
  const auto *a = static_cast<const Ballot *>(in);
  auto *b = static_cast<Ballot *>(inout);
  for (int i = 0; i < *n; ++i) {
    b[i].bits |= a[i].bits;
    if (std::strcmp(a[i].text.data(), b[i].text.data()) > 0) b[i].text = a[i].text;
  }
}

void check(int code, const char *call) {
  if (code != MPI_SUCCESS) throw Error(HFFT_ERROR_MPI, std::string(call) + " failed");
}

/// Datatype and operation of votes. They are made with the first vote and freed by MPI_Finalize.
struct Reduction {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op operation = MPI_OP_NULL;

  Reduction() {
    check(MPI_Type_contiguous(sizeof(Ballot), MPI_BYTE, &type), "MPI_Type_contiguous");
    check(MPI_Type_commit(&type), "MPI_Type_commit");
    check(MPI_Op_create(unite, 1, &operation), "MPI_Op_create");
  }
};

/// A vote of all ranks of a communicator. The constructor is collective. Each rank may call test()
/// and wait() of several votes in any order.
class Vote {
public:
  Vote(MPI_Comm comm, std::uint64_t bits, std::string_view text)
      : ballot_(std::make_unique<Ballot>()) {
    static const Reduction reduction;
    ballot_->bits = bits;
    std::copy_n(text.data(), std::min(text.size(), ballot_->text.size() - 1), ballot_->text.data());
    check(MPI_Iallreduce(MPI_IN_PLACE, ballot_.get(), 1, reduction.type, reduction.operation, comm,
                         &request_),
          "MPI_Iallreduce");
  }
  Vote(const Vote &) = delete;
  Vote &operator=(const Vote &) = delete;
  /// Leaks the ballot of an incomplete vote, because MPI may still write into it.
  ~Vote() {
    if (request_ != MPI_REQUEST_NULL) static_cast<void>(ballot_.release());
  }

  bool test() {
    int done = 0;
    check(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  }
  void wait() {
    // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): the constructor has made the request
    check(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait");
  }
  std::uint64_t bits() const { return ballot_->bits; }
  /// Returns the text. A long text may have been cut within a character.
  nb::object text() const {
    const char *text = ballot_->text.data();
    return nb::steal(
        PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::strlen(text)), "replace"));
  }

private:
  std::unique_ptr<Ballot> ballot_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

} // namespace

void bind_vote(nb::module_ &m) {
  using WithoutLock = nb::call_guard<nb::gil_scoped_release>;
  // NOLINTBEGIN(clang-analyzer-optin.mpi.MPI-Checker): Python calls test() and wait()
  nb::class_<Vote>(m, "Vote")
      .def(
          "__init__",
          [](Vote *vote, nb::handle comm, std::uint64_t bits, const nb::bytes &text) {
            new (vote) Vote(communicator_of(comm), bits, {text.c_str(), text.size()});
          },
          nb::arg("comm"), nb::arg("bits"), nb::arg("text"))
      .def("test", &Vote::test, WithoutLock())
      .def("wait", &Vote::wait, WithoutLock())
      .def_prop_ro("bits", &Vote::bits)
      .def_prop_ro("text", &Vote::text);
  // NOLINTEND(clang-analyzer-optin.mpi.MPI-Checker)
}

} // namespace hybridfft::python
