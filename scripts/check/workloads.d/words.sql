-- SPDX-License-Identifier: GPL-2.0-or-later
-- A workload for SQLite: makes words, sorts and counts them.
create temporary table words as
	with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 20000)
	select n, 'word' || (n * 1664525 % 65536) as word from numbers;
select count(*) from (select word, count(*) from words group by word order by word);
