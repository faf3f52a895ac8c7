sl 1.0
li s0, 0
div s0, s0, s0
mul v0, C0, s0
rnd s1
mov v1, s1
