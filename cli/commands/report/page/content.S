/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of 'profil report --html', as assembled by scripts/build/html-page. */
	.section .rodata
	.global profil_html_page
	.type profil_html_page, @object
profil_html_page:
	.incbin "page.html"
	.global profil_html_page_end
profil_html_page_end:
	.size profil_html_page, profil_html_page_end - profil_html_page

	.section .note.GNU-stack, "", @progbits
