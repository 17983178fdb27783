// SPDX-License-Identifier: GPL-2.0-or-later
import java.util.Arrays;
import java.util.HashMap;

/** A workload in Java: makes words, sorts and counts them. */
public class Words {
	static String[] makeWords(int seed) {
		String[] words = new String[20000];

		for (int i = 0; i < words.length; i++) {
			seed = seed * 1664525 + 1013904223;
			words[i] = "word" + (seed >>> 16);
		}
		return words;
	}

	static int countWords(String[] words) {
		HashMap<String, Integer> counts = new HashMap<>();

		for (String word : words)
			counts.merge(word, 1, Integer::sum);
		return counts.size();
	}

	public static void main(String[] arguments) {
		for (int seed = 1;; seed++) {
			String[] words = makeWords(seed);

			Arrays.sort(words);
			if (countWords(words) == 0)
				throw new IllegalStateException("no words");
		}
	}
}
