/// The kinds of steps that plans have.
#pragma once

namespace hybridfft::plan {

enum class StepKind { whole, planes, columns, copy, exchange };

} // namespace hybridfft::plan
