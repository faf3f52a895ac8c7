-- For Neovim with nvim-dap: the server is started by the editor and speaks on its standard streams.
local dap = require('dap')
dap.adapters.rtvp = function(callback, config)
  callback({ type = 'executable', command = config.command, args = config.args })
end
dap.configurations.asm = {
  {
    name = 'DSPs of the boards',
    type = 'rtvp',
    request = 'launch',
    command = 'platform',
    args = { 'scenes/cornell.shk', '--size', '16x16', '--depth', '1', '--dap', '-' },
    stopOnEntry = true,
    sourceRoots = { 'firmware/tigershark' },
  },
  {
    name = 'One C32',
    type = 'rtvp',
    request = 'launch',
    command = 'c32-run',
    args = { "first.out", "--dap", "-" },
    stopAtEnd = true,
  },
}
