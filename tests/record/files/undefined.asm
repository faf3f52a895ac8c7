	.sect "reset",0,0
	.word boot
	.sect "boot",40h,40h
boot:   NOP
	.word 0FFFFFFFFh
