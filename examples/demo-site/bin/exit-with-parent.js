// Runs in the process of the service before the service's own code. When the demo ends, even if it is killed, its
// channel to this process closes. The service then stops as if it had received SIGINT, and releases its port and its
// data folder.
process.once('disconnect', () => process.kill(process.pid, 'SIGINT'))
