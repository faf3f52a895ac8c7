sl 1.0
blt Kd, Ks, 1
li s0, 2
mul v0, C0, s0
