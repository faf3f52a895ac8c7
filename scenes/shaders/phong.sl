sl 1.0
# phong.sl - Lambert part of C0 and a highlight of C1 with exponent S (8 / roughness)
mov r0, C0
mov r2, C1
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
