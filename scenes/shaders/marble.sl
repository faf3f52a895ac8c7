sl 1.0
# marble.sl - veins of C1 in stone of C0, bent by five octaves of noise in object space; s0: veins a
# unit of length (0.5 if the scene says nothing); s1: how far the noise bends them (5)
li s2, 0.0
blt s2, s0, 1
li s0, 0.5
blt s2, s1, 1
li s1, 5.0
# octave loop: s2 collects, s3 is the amplitude, r0 the place in this octave
mul r0, xy, s0
li s3, 1.0
turb v1, r0
mul v1, v1, s3
add s2, s2, v1
add r0, r0, r0
li v1, 0.5
mul s3, s3, v1
li v1, 0.05
blt v1, s3, -8
# phase = (x + y + z) s0 + noise s1
mul s2, s2, s1
liv x r1, 1.0
liv y r1, 0.7
liv z r1, 0.4
dp3 s3, xy, r1
mul s3, s3, s0
add s2, s2, s3
# triangle wave 0..1..0, sharpened: 1 in the middle of a vein
floor s3, s2
sub s2, s2, s3
add s2, s2, s2
li s3, 1.0
sub s2, s2, s3
li s1, 0.0
blt s1, s2, 1
sub s2, s1, s2
li s1, 5.0
pow s2, s2, s1
sub r0, C1, C0
mul r0, r0, s2
add r0, r0, C0
# highlights are white
liv x r2, 1.0
liv y r2, 1.0
liv z r2, 1.0
# diffuse part of the base colour in r0, which r3 keeps
mov r3, r0
dp3 s0, N, L
li s2, 0.0
li s3, 1.0
clamp s0, s2, s3
mul s1, s0, Kd
mul r0, r0, s1
# highlight of colour r2 where N is half way between L and V
add r1, L, V
norm r1, r1
dp3 s1, N, r1
clamp s1, s2, s3
pow s1, s1, S
blt s2, s0, 1
li s1, 0.0
mul s1, s1, Ks
mul r1, r2, s1
add r0, r0, r1
# lit colour in r0 times the light's, lane by lane, plus ambient light r3 * Ka
movc r s0, r0
movc r s1, dE
mul s0, s0, s1
lc r v0, s0
movc g s0, r0
movc g s1, dE
mul s0, s0, s1
lc g v0, s0
movc b s0, r0
movc b s1, dE
mul s0, s0, s1
lc b v0, s0
mul r3, r3, Ka
add v0, v0, r3
