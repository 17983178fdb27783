// SPDX-License-Identifier: GPL-2.0-or-later
/** @file tests/host/cli/names/bare_name.cpp  Demangled names, shortened to what a user would type. */
#include "cli/names/bare_name.h"
#include "tests/support/catch.h"

#include <utility>

using namespace cli;

TEST_CASE("a bare name has no return type and no parameters", "[cli][annotate]")
{
	const std::pair<std::string_view, std::string_view> all[] = {
		{"work(int)", "work"},
		{"main", "main"},
		{"", ""},
		{"(anonymous namespace)::foo(int)", "(anonymous namespace)::foo"},
		{"cli::(anonymous namespace)::foo(int)", "cli::(anonymous namespace)::foo"},
		{"cli::(anonymous namespace)::table", "cli::(anonymous namespace)::table"},
		{"std::map<int, int>::find(int const&)", "std::map<int, int>::find"},
		{"A::operator()(int)", "A::operator()"},
		{"A::operator()(int) const", "A::operator()"},
		{"void f<int>(int)", "f<int>"},
		{"void run<void (*)(int)>(void (*)(int))", "run<void (*)(int)>"},
		{"unsigned long const& a::f<(int)1, b<c> >(b<c> (*)(int))", "a::f<(int)1, b<c> >"},
		{"bool operator< <int>(a<int> const&)", "operator< <int>"},
		{"operator new(unsigned long)", "operator new"},
		{"A::operator->()", "A::operator->"},
		{"f<(1 < 2)>(int)", "f<(1 < 2)>"},
		{"A::f(int) const::{lambda(int)#1}::operator()(int) const",
		 "A::f(int) const::{lambda(int)#1}::operator()"},
		{"Compile:~read (fs.js:12)", "Compile:~read"},
		{">>))((", ">>))"},
	};

	for (const auto &[name, bare] : all) {
		CAPTURE(name);
		CHECK(without_parameters(name) == bare);
	}
	CHECK(without_template_arguments("f<int>") == "f");
	CHECK(without_template_arguments("std::map<int, int>::find") == "std::map<int, int>::find");
	CHECK(without_template_arguments("a<b>::f<(1 < 2), b<c> >") == "a<b>::f");
	CHECK(without_template_arguments("operator< <int>") == "operator<");
	CHECK(without_template_arguments("A::operator->") == "A::operator->");
	CHECK(without_template_arguments("f<int>::operator->") == "f<int>::operator->");
	CHECK(without_template_arguments("a<b> >>") == "a<b> >>");
	CHECK(without_template_arguments("<closure>") == "<closure>");
}
