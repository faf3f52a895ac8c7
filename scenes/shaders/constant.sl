sl 1.0
# defaults: Ka 0.5
# constant.sl - C0 times Ka wherever the surface is seen, whatever lights it; each light adds one run
mul v0, C0, Ka
