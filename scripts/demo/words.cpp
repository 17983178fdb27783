// SPDX-License-Identifier: GPL-2.0-or-later
// A program for the demo to profile: generates words, then counts, sorts and
// checksums them, forever.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

namespace words {

class Generator {
public:
	std::string next()
	{
		std::string word;

		for (unsigned n = 3 + random() % 5; n > 0; n--)
			word += static_cast<char>('a' + random() % 26);
		return word;
	}

private:
	uint64_t random()
	{
		state_ ^= state_ << 13;
		state_ ^= state_ >> 7;
		state_ ^= state_ << 17;
		return state_;
	}

	uint64_t state_ = 0x9e3779b97f4a7c15;
};

[[gnu::noinline]] std::vector<std::string> make(Generator &generator, size_t count)
{
	std::vector<std::string> list;

	for (size_t i = 0; i < count; i++)
		list.push_back(generator.next());
	return list;
}

[[gnu::noinline]] size_t count_distinct(const std::vector<std::string> &list)
{
	std::unordered_map<std::string, unsigned> seen;

	for (const auto &word : list)
		seen[word]++;
	return seen.size();
}

[[gnu::noinline]] void sort(std::vector<std::string> &list)
{
	std::sort(list.begin(), list.end());
}

[[gnu::noinline]] uint64_t checksum(const std::vector<std::string> &list)
{
	uint64_t sum = 14695981039346656037U;

	for (int round = 0; round < 50; round++)
		for (const auto &word : list)
			for (const char letter : word)
				sum = (sum ^ static_cast<unsigned char>(letter)) * 1099511628211U;
	return sum;
}

} // namespace words

int main()
{
	words::Generator generator;

	for (;;) {
		auto list = words::make(generator, 20000);
		const auto distinct = words::count_distinct(list);

		words::sort(list);
		std::printf("%zu distinct words, checksum %llx\n", distinct,
			    static_cast<unsigned long long>(words::checksum(list)));
	}
}
