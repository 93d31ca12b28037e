import { spawn } from 'node:child_process'

// Preloaded with `--import`. In a worker, gives its channel to the primary also to a program that lives longer than the
// worker. So the primary receives the worker's exit while the channel is still open, which otherwise happens by chance.
if (process.channel) spawn('sleep', ['30'], { stdio: ['ignore', 'ignore', 'ignore', 3] }).unref()
