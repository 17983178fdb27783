// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/result.h  A value or an error message. */
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <variant>

namespace cli {

/** A message ready for printing: what failed, on what, why, and the next step. */
struct Error {
	std::string text;
};

/**
 * Either a T or an Error.
 *
 * Test it, then dereference it.  Dereferencing an error, or calling error() on
 * a value, throws std::bad_variant_access; that is a bug in the caller.
 */
template <typename T> class [[nodiscard]] Result {
public:
	Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
	Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

	explicit operator bool() const { return state_.index() == 0; }
	T &operator*() & { return std::get<0>(state_); }
	const T &operator*() const & { return std::get<0>(state_); }
	T &&operator*() && { return std::get<0>(std::move(state_)); }
	T *operator->() { return &std::get<0>(state_); }
	const T *operator->() const { return &std::get<0>(state_); }
	[[nodiscard]] const Error &error() const { return std::get<1>(state_); }

private:
	std::variant<T, Error> state_;
};

/** The value in the Outcome of a function that returns no value. */
struct Done {};
using Outcome = Result<Done>;

/** "what: strerror(number)". */
inline Error system_error(const std::string &what, int number = errno)
{
	return Error{what + ": " + std::strerror(number)};
}

} // namespace cli
