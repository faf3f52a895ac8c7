sl 1.0
# toon.sl - four flat bands of C0, a hard highlight of C1, a black outline
dp3 s0, N, V
li s1, 0.28
blt s1, s0, 1
ret
dp3 s0, N, L
li s1, 0.05
li s2, 0.12
blt s0, s1, 7
li s1, 0.35
li s2, 0.4
blt s0, s1, 4
li s1, 0.7
li s2, 0.7
blt s0, s1, 1
li s2, 1.0
mul s2, s2, Kd
mul r0, C0, s2
# highlight
add r1, L, V
norm r1, r1
dp3 s1, N, r1
li s2, 0.0
li s3, 1.0
clamp s1, s2, s3
pow s1, s1, S
li s2, 0.5
blt s1, s2, 2
mul r1, C1, Ks
add r0, r0, r1
mov r3, C0
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
