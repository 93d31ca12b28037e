// Preloaded by tests (`NODE_OPTIONS=--import …`): the process loops forever on SIGUSR2. The loop leaves the processor to others,
// and serves nobody all the same.
process.on('SIGUSR2', () => {
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
})
