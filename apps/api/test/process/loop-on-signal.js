// Blocks the event loop forever on SIGUSR2. Tests preload this file (`NODE_OPTIONS=--import …`). The loop uses almost
// no processor time.
process.on('SIGUSR2', () => {
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
})
