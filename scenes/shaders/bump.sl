sl 1.0
# bump.sl - t1 is a tangent-space normal of a bump map, t0 colours the surface; a highlight of C1
movc x s0, t1
mul r0, ds, s0
movc y s0, t1
mul r1, dt, s0
add r0, r0, r1
movc z s0, t1
mul r1, N, s0
add r0, r0, r1
norm r2, r0
# as phong.sl, with r2 in the place of N
mov r3, t0
dp3 s0, r2, L
li s2, 0.0
li s3, 1.0
clamp s0, s2, s3
mul s1, s0, Kd
mul r0, t0, s1
add r1, L, V
norm r1, r1
dp3 s1, r2, r1
clamp s1, s2, s3
pow s1, s1, S
blt s2, s0, 1
li s1, 0.0
mul s1, s1, Ks
mul r1, C1, s1
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
