// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/names/short_name.cpp  Names as views show them. */
#include "cli/names/short_name.h"
#include "cli/names/demangle.h"
#include "cli/names/shown_names.h"
#include "tests/support/catch.h"

#include <fmt/format.h>
#include <utility>

using namespace cli;

TEST_CASE("a view's names have no parameters, and no long template arguments", "[cli][names]")
{
	const std::pair<std::string_view, std::string_view> all[] = {
		{"main", "main"},
		{"", ""},
		{"work(int)", "work"},
		{"work(int)@plt", "work@plt"},
		{"malloc@plt", "malloc@plt"},
		{"work(int) [clone .cold]", "work [clone .cold]"},
		{"work(int) [clone .part.0] [clone .cold]", "work [clone .part.0] [clone .cold]"},
		{"work(int) (.cold)", "work (.cold)"},
		{"A::get(int) const &", "A::get"},
		{"A::operator()(int) const", "A::operator()"},
		{"(anonymous namespace)::checksum(char const*)", "(anonymous namespace)::checksum"},
		{"non-virtual thunk to A::f(int)", "non-virtual thunk to A::f"},
		{"v8::internal::JsonParser<unsigned char>::ParseJsonValue<false>()",
		 "v8::internal::JsonParser<unsigned char>::ParseJsonValue<false>"},
		{"void words::sort(std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, "
		 "std::allocator<char> >, std::allocator<std::__cxx11::basic_string<char, "
		 "std::char_traits<char>, std::allocator<char> > > >&)",
		 "words::sort"},
		{"std::vector<int, std::allocator<int> >::push_back(int const&)",
		 "std::vector<int>::push_back"},
		{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> "
		 ">::append(char const*)",
		 "std::string::append"},
		{"std::__cxx11::to_string[abi:cxx11](int)", "std::to_string"},
		{"std::set<int, std::less<int>, std::allocator<int> >::find(int const&)",
		 "std::set<int>::find"},
		{"std::set<int, backwards, std::allocator<int> >::find(int const&)",
		 "std::set<int, backwards>::find"},
		{"void std::__introsort_loop<__gnu_cxx::__normal_iterator<int*, std::vector<int, "
		 "std::allocator<int> > >, long, __gnu_cxx::__ops::_Iter_less_iter>(int)",
		 "std::__introsort_loop<...>"},
		{"bool operator< <int>(a<int> const&)", "operator< <int>"},
		{"A& operator<< <std::char_traits<wchar_t>, b, c>(A&, char)", "operator<< <...>"},
		{"A::operator->()", "A::operator->"},
		/* Rust */
		{"<core::hash::sip::Hasher<S> as core::hash::Hasher>::write",
		 "<core::hash::sip::Hasher<S> as core::hash::Hasher>::write"},
		{"core::fmt::num::<impl core::fmt::Display for u32>::fmt",
		 "core::fmt::num::<impl core::fmt::Display for u32>::fmt"},
		{"alloc::vec::Vec<alloc::collections::btree::Node>::push", "alloc::vec::Vec<...>::push"},
		{"work::run::{closure#0}", "work::run::{closure#0}"},
		/* Go, JavaScript, Java, and profil's own names */
		{"main.(*Tree).walk", "main.(*Tree).walk"},
		{"JS:*hot /a (b)/work.js:1:13", "JS:*hot /a (b)/work.js:1:13"},
		{"Compile:~read (fs.js:12)", "Compile:~read (fs.js:12)"},
		{"java.lang.Object java.util.HashMap.merge(java.lang.Object, java.lang.Object)",
		 "java.util.HashMap.merge"},
		{"libc.so.6+0x1000..0x2000 (11 functions)", "libc.so.6+0x1000..0x2000 (11 functions)"},
		{"[softirq]", "[softirq]"},
		/* Broken, or not what they look like */
		{"f(int", "f(int"},
		{"f<int", "f<int"},
		{">>))((", ">>))(("},
		{"()", "()"},
		{"void (*f(int))(char)", "void (*f(int))(char)"},
	};

	for (const auto &[name, brief] : all) {
		CAPTURE(name);
		CHECK(short_name(name) == brief);
		CHECK(short_name(short_name(name)) == short_name(name));
	}
}

TEST_CASE("a name that is nested as deep as it is long is shortened", "[cli][names]")
{
	std::string name = "f";

	for (int i = 0; i < 100'000; i++)
		name += "<a";
	CHECK(short_name(name) == name);
	for (int i = 0; i < 100'000; i++)
		name += ">";
	CHECK(short_name(name) == "f<a<a<...>>>");
}

TEST_CASE("functions that would read alike are told apart", "[cli][names]")
{
	const std::string_view all[] = {"sort(int)", "sort(std::vector<int, std::allocator<int> >)",
					"other(int)", "a<std::vector<int, b<c>, std::map<int, d>>>()",
					"a<std::vector<int, b<c>, std::map<int, e>>>()"};
	ShownNames names(NameLength::Short);
	ShownNames full(NameLength::Full);

	for (int i = 0; i < 2; i++) {
		for (const std::string_view name : all) {
			names.add(name);
			full.add(name);
		}
	}
	CHECK(names.text(all[0]) == "sort(int)");
	CHECK(names.text(all[1]) == "sort(std::vector<int>)");
	CHECK(names.text(all[2]) == "other");
	CHECK(names.text(all[3]) == "a<std::vector<int, b<c>, std::map<int, d>>>");
	CHECK(names.text(all[4]) == "a<std::vector<int, b<c>, std::map<int, e>>>");
	for (const std::string_view name : all)
		CHECK(full.text(name) == name);
}

TEST_CASE("instances of a template are told apart by their arguments, and no more", "[cli][names]")
{
	const std::string instance = "unsigned long unit::transformed<unit::with_a_long_name, ";
	const std::string brief = "unit::transformed<unit::with_a_long_name, ";
	std::vector<std::string> all;
	ShownNames names(NameLength::Short);

	for (int i = 0; i < 5; i++)
		all.push_back(fmt::format("{}{}u>(unsigned long) [clone .cold]", instance, i));
	/* An overload of the last one. */
	all.push_back(instance + "4u>(char) [clone .cold]");
	for (const std::string &name : all)
		names.add(name);
	for (int i = 0; i < 4; i++)
		CHECK(names.text(all[i]) == fmt::format("{}{}u> [clone .cold]", brief, i));
	CHECK(names.text(all[4]) == all[4]);
	CHECK(names.text(all[5]) == all[5]);
}

TEST_CASE("a thunk to an instance of a template remains one", "[cli][names]")
{
	const std::string thunk = "non-virtual thunk to unit::Tree<unit::with_a_long_name, ";
	const std::vector<std::string> all = {thunk + "1>::walk(int)", thunk + "2>::walk(int)"};
	ShownNames names(NameLength::Short);

	for (const std::string &name : all)
		names.add(name);
	CHECK(names.text(all[0]) == thunk + "1>::walk");
	CHECK(names.text(all[1]) == thunk + "2>::walk");
}

TEST_CASE("a function of C is told apart from one of C++ with its name", "[cli][names]")
{
	ShownNames names(NameLength::Short);

	for (const std::string_view name : {"work(int)", "work"})
		names.add(name);
	CHECK(names.text("work(int)") == "work(int)");
	CHECK(names.text("work") == "work");
}

TEST_CASE("names of Rust and D are those of the source", "[cli][names]")
{
	CHECK(demangle("_RNvNtCsgEmfK2I1SDS_4core3fmt5write") == "core::fmt::write");
	CHECK(demangle("_RINvNtC3std3mem8align_ofdE") == "std::mem::align_of::<f64>");
	CHECK(demangle("_RNCNvC4work3run0") == "work::run::{closure#0}");
	CHECK(demangle("_ZN71_$LT$core..hash..sip..Hasher$LT$S$GT$$u20$as$u20$core..hash..Hasher$GT$"
		       "5write17h0a1b2c3d4e5f6789E") ==
	      "<core::hash::sip::Hasher<S> as core::hash::Hasher>::write");
	CHECK(demangle("_D4work3runFiZv") == "work.run(int)");
	CHECK(demangle("_Runaway") == "_Runaway");
	CHECK(demangle("_Dark") == "_Dark");
	CHECK(demangle("_RNvNtCsgEmfK2I1SDS_4core3fmt5write@plt") == "core::fmt::write@plt");
}
