// Blocks the process forever on SIGUSR2; tests preload it (`NODE_OPTIONS=--import …`). The loop leaves the processor
// to others, but serves no request.
process.on('SIGUSR2', () => {
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
})
