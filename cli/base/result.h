// SPDX-License-Identifier: GPL-2.0-or-later
/** @file cli/base/result.h  A value, or a sentence why there is none. */
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <variant>

namespace cli {

/** What failed, on what, why, and the next step: ready to be printed. */
struct Error {
	std::string text;
};

/**
 * Either a T or an Error.
 *
 * Test it, then dereference it.  Dereferencing an error, or asking a value for
 * its error, throws std::bad_variant_access: a bug, not a condition.
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

/** For what succeeds without a value. */
struct Done {};
using Outcome = Result<Done>;

/** "what: the words of errno". */
inline Error system_error(const std::string &what, int number = errno)
{
	return Error{what + ": " + std::strerror(number)};
}

} // namespace cli
