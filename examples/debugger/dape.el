;; For Emacs with dape: M-x dape, then rtvp-board or rtvp-c32.
(with-eval-after-load 'dape
  (add-to-list 'dape-configs
               '(rtvp-board modes (asm-mode) command "platform"
                 command-args ("scenes/cornell.shk" "--size" "16x16" "--depth" "1" "--dap" "-")
                 :type "rtvp" :request "launch" :stopOnEntry t :sourceRoots ["firmware/tigershark"]))
  (add-to-list 'dape-configs
               '(rtvp-c32 modes (asm-mode) command "c32-run" command-args ("first.out" "--dap" "-")
                 :type "rtvp" :request "launch" :stopAtEnd t)))
