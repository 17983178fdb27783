// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libfmt's functions, compiled from its headers into the program: see CLI_LIBS in cli/build.mk.
 * The templates are those that its headers declare as compiled elsewhere.
 */
#include <fmt/format-inl.h>

namespace fmt::detail {

template dragonbox::decimal_fp<float> dragonbox::to_decimal(float);
template dragonbox::decimal_fp<double> dragonbox::to_decimal(double);
template locale_ref::locale_ref(const std::locale &);
template std::locale locale_ref::get<std::locale>() const;
template thousands_sep_result<char> thousands_sep_impl(locale_ref);
template char decimal_point_impl(locale_ref);
template void buffer<char>::append(const char *, const char *);
template void vformat_to(buffer<char> &, string_view, basic_format_args<buffer_context<char>>, locale_ref);

} // namespace fmt::detail
