/* web.S: the files of web/ as part of the program, so that an installed program
 * can make a site. */
#define WEB(name, path) .globl web_##name; .hidden web_##name; \
    .globl web_##name##_end; .hidden web_##name##_end; \
    web_##name: .incbin path; web_##name##_end: .byte 0;
    .section .rodata.oomkb_web, "a"
#include "author/web.def"
#if defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
