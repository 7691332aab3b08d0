// test/cross/setjmp.h: what cmocka asks to be included before it, and cmocka.h beside this does not need.
