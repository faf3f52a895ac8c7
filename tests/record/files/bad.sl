sl 1.0
mul x,y,z
mov N, L
