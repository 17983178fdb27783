// SPDX-License-Identifier: GPL-2.0-or-later
/* Sums up a matrix in the order of its memory, and across it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { ROWS = 4096, COLUMNS = 512 };

/* A row is a page. */
static double (*matrix)[COLUMNS];

__attribute__((noipa)) static void fill(void)
{
	for (int row = 0; row < ROWS; row++)
		for (int column = 0; column < COLUMNS; column++)
			matrix[row][column] = row;
}

/* Sums up the whole matrix: 512 elements of a page, one after the other. */
__attribute__((noipa)) static double sum_by_rows(void)
{
	double sum = 0;

	for (int row = 0; row < ROWS; row++)
		for (int column = 0; column < COLUMNS; column++)
			sum += matrix[row][column];
	return sum;
}

/* Sums up a 64th of the matrix: each element is in a different page from the previous one. */
__attribute__((noipa)) static double sum_by_columns(void)
{
	double sum = 0;

	for (int column = 0; column < COLUMNS / 64; column++)
		for (int row = 0; row < ROWS; row++)
			sum += matrix[row][column];
	return sum;
}

int main(void)
{
	matrix = aligned_alloc(4096, sizeof(*matrix) * ROWS);
	if (!matrix)
		return 1;
	/* With huge pages, one fault would provide 512 rows. */
	madvise(matrix, sizeof(*matrix) * ROWS, MADV_NOHUGEPAGE);
	fill();
	printf("%.0f\n", sum_by_rows());
	printf("%.0f\n", sum_by_columns());
	free(matrix);
	return 0;
}
