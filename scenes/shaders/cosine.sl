sl 1.0
# cosine.sl - Lambert: C0 times Kd, the cosine at N and the light; Ka adds ambient light
mov r3, C0
dp3 s0, N, L
li s1, 0.0
li s2, 1.0
clamp s0, s1, s2
mul s0, s0, Kd
mul r0, C0, s0
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
