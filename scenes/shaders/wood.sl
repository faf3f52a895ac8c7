sl 1.0
# wood.sl - rings about the y axis of object space: C0 early wood, C1 late wood; s0: rings a unit of
# length (2 if the scene says nothing)
li s2, 0.0
blt s2, s0, 1
li s0, 2.0
# distance from the axis, bent by noise that is drawn out along it
mov r0, xy
lc y r0, s2
dp3 s1, r0, r0
li s3, 0.5
pow s1, s1, s3
mul s1, s1, s0
movc y s3, xy
li v1, 0.2
mul s3, s3, v1
lc y r0, s3
turb s3, r0
add s1, s1, s3
floor s3, s1
sub s1, s1, s3
# slow rise, quick fall: f for f < 0.85, then back to 0
li s3, 0.85
blt s1, s3, 4
li s2, 1.0
sub s1, s2, s1
li s2, 5.6667
mul s1, s1, s2
mul s1, s1, s1
# fine grain along the axis
mul r0, xy, s0
li s3, 12.0
mul r0, r0, s3
movc y s3, xy
lc y r0, s3
turb s3, r0
li s2, 0.12
mul s3, s3, s2
add s1, s1, s3
li s2, 0.0
li s3, 1.0
clamp s1, s2, s3
sub r0, C1, C0
mul r0, r0, s1
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
