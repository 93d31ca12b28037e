// Runs in the service before its own code. When the demo ends, even if it is killed, its channel closes. The service
// then stops as by a signal, and releases its port and its data folder.
process.once('disconnect', () => process.kill(process.pid, 'SIGINT'))
