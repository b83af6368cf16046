A: old/vmlinux
B: new/long/long/long/long/long/long.../long/long/long/long/long/vmlinux

          text       data        bss        dec        hex
A      1000000       2000        300    1002300      f4b3c
B      1000064       2000        200    1002264      f4b18
B-A        +64          0       -100        -36

Section                                          old       new     delta
.text                                        1000000   1000064       +64
.new                                               -         5        +5
.comment                                           7         -        -7

add/remove: 1/1 grow/shrink: 2/1 up/down: 115/-68 (47)
Symbol                                           old       new     delta
try_to_wake_up (x2, 1 clone -> x3, 2 clones)
                                                1280      1344       +64
gone                                              60         -       -60
evil\x1b[31m|`name`\n_*x*_\xff\u{202e}             -        50       +50
[... 2 more]
Total: Before=9000, After=9047, chg +0.52%

Renamed, with the same code: 1
old_name -> new_name

The same size, but other code: 1
same_size

By file                                          old       new     delta
kernel/sched/core.c                             5000      5064       +64
(unknown)                                          9         7        -2

Note: .text has the same size in A and B, but 2 symbols in it changed
  (+64/-8 bytes): alignment hides it

fail-on text>+0: holds (text 1,000,000 -> 1,000,064, +64)
fail-on symbol:*>+1KiB: holds for no symbol
