// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/rows/significance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cli {
namespace {

constexpr double exact_below = 100;
/* Beyond this, lgamma() is too imprecise.  At 1000 Hz, one CPU reaches it in 30 years. */
constexpr double most_samples = 1e12;
/* Terms that are smaller than this part of a sum of doubles do not change it. */
constexpr double negligible = 1e-17;

/**
 * The distribution of the number of marked samples among `drawn` ones, if `marked` of all `total`
 * samples are marked.
 */
struct Hypergeometric {
	double drawn;
	double marked;
	double total;

	[[nodiscard]] double mean() const { return drawn * (marked / total); }

	[[nodiscard]] double deviation() const
	{
		if (total <= 1)
			return 0;
		return std::sqrt(mean() * (1 - marked / total) * ((total - drawn) / (total - 1)));
	}

	/** Probability of exactly @p k. */
	[[nodiscard]] double at(double k) const
	{
		const auto log_choose = [](double n, double r) {
			return std::lgamma(n + 1) - std::lgamma(r + 1) - std::lgamma(n - r + 1);
		};

		return std::exp(log_choose(marked, k) + log_choose(total - marked, drawn - k) -
				log_choose(total, drawn));
	}

	/** Probability of @p k + 1 divided by that of @p k. */
	[[nodiscard]] double ratio(double k) const
	{
		return (marked - k) * (drawn - k) / ((k + 1) * (total - marked - drawn + k + 1));
	}
};

/* Away from the mean, terms only decrease; they are 0 beyond the end of the distribution. */
double tail(const Hypergeometric &law, double k)
{
	const bool upwards = k > law.mean();
	double sum = 0;

	for (double term = law.at(k); term > sum * negligible; k += upwards ? 1 : -1) {
		sum += term;
		term *= upwards ? law.ratio(k) : k > 0 ? 1 / law.ratio(k - 1) : 0;
	}
	return sum;
}

} // namespace

double p_value(const Shares &shares)
{
	if (!shares.base_total || !shares.now_total)
		return 1;

	const Hypergeometric law = {static_cast<double>(shares.base) + static_cast<double>(shares.now),
				    static_cast<double>(shares.now_total),
				    static_cast<double>(shares.base_total) +
					    static_cast<double>(shares.now_total)};
	const auto seen = static_cast<double>(shares.now);

	if (law.total > most_samples)
		return 1;
	const double deviation = law.deviation();

	if (deviation < exact_below)
		return std::min(1.0, 2 * tail(law, seen));

	const double distance = std::max(0.0, std::abs(seen - law.mean()) - 0.5);

	return std::erfc(distance / deviation / std::sqrt(2.0));
}

std::vector<double> corrected_for_many(std::span<const double> p_values)
{
	std::vector<size_t> order(p_values.size());
	std::vector<double> corrected(p_values.size());
	double highest = 0;

	std::iota(order.begin(), order.end(), size_t{0});
	std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return p_values[a] < p_values[b]; });
	for (size_t i = 0; i < order.size(); i++) {
		const double left = static_cast<double>(order.size() - i);

		highest = std::max(highest, std::min(1.0, p_values[order[i]] * left));
		corrected[order[i]] = highest;
	}
	return corrected;
}

} // namespace cli
