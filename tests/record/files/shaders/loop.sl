sl 1.0
liv x v0, 3
jmp -1
