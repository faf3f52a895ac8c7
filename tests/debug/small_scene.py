"""Scenes of two triangles, and with a sphere, and what tests of the boards' logs do with files."""

LOOK = """\
e 0 1.5 6
lo 0 0.5 0
u 0 1 0
li 5 8 6 1 1 1
m .8 .7 .6 .8 .2 .2 5 0 0 1
t -4 0 -4  -4 0 4  4 0 4
t -1.5 0 0  -.2 0 0  -.8 1.8 .3
"""
TRIANGLES = "w 6\nh 4\n" + LOOK
SCENE = "w 8\nh 6\n" + LOOK + "sphere .9 .6 0 .6\n"


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()
