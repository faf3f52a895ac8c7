sl 1.0
# brick.sl - bricks of C0 in mortar of C1, every other course shifted by half; s0 bricks across u (12
# if the scene says nothing), s1 courses across v (s0 and 16)
li s2, 0.0
blt s2, s0, 1
li s0, 12.0
blt s2, s1, 1
li s1, 16.0
movc y s3, uv
mul s3, s3, s1
floor s1, s3
sub s3, s3, s1
# s3: place across the course; shift odd courses
li s2, 0.5
mul v1, s1, s2
floor v1, v1
add v1, v1, v1
sub v1, s1, v1
mul v1, v1, s2
movc x s2, uv
mul s2, s2, s0
add s2, s2, v1
floor v1, s2
sub s2, s2, v1
# a shade of its own for every brick: noise at the middle of a lattice cell
li s0, 0.37
add v1, v1, s0
lc x r0, v1
add s1, s1, s0
lc y r0, s1
lc z r0, s0
turb v1, r0
# mortar where either place is near a joint
mov r1, C1
li s0, 0.06
blt s2, s0, 9
li s0, 0.94
blt s0, s2, 7
li s0, 0.1
blt s3, s0, 5
li s1, 0.5
mul v1, v1, s1
li s0, 1.0
add v1, v1, s0
mul r1, C0, v1
mov r0, r1
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
