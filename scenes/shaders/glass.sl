sl 1.0
# defaults: Kr 1 Kt 1 index 1.5
# glass.sl - what is mirrored and what is seen through, shared out by Schlick's rule with Kr and Kt as
# weights, and a highlight of C1; I is the ratio of the indices, N faces the viewer
dp3 s0, N, V
li s1, 0.0
li s2, 1.0
clamp s0, s1, s2
# mirrored
add s3, s0, s0
mul r0, N, s3
sub r0, r0, V
trace r1, Pw, r0
# k = 1 - I^2 (1 - cos^2); below 0 everything is mirrored
mul s3, s0, s0
sub s3, s2, s3
mul s3, s3, I
mul s3, s3, I
sub s3, s2, s3
blt s1, s3, 2
mul v0, r1, Kr
jmp 21
# seen through: direction N (I cos - sqrt k) - V I
li s1, 0.5
pow s3, s3, s1
mul s1, I, s0
sub s1, s1, s3
mul r2, N, s1
mul r3, V, I
sub r2, r2, r3
trace r3, Pw, r2
# Schlick: F = 0.04 + 0.96 (1 - cos)^5
sub s0, s2, s0
li s1, 5.0
pow s0, s0, s1
li s1, 0.96
mul s0, s0, s1
li s1, 0.04
add s0, s0, s1
mul s1, s0, Kr
mul r1, r1, s1
sub s0, s2, s0
mul s0, s0, Kt
mul r3, r3, s0
add v0, r1, r3
# highlight of C1
add r1, L, V
norm r1, r1
dp3 s1, N, r1
li s2, 0.0
li s3, 1.0
clamp s1, s2, s3
pow s1, s1, S
mul s1, s1, Ks
movc r s3, dE
mul s1, s1, s3
mul r1, C1, s1
add v0, v0, r1
