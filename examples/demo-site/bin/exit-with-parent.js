// Loaded into the service before its own code. However the demo ends, even killed, the channel to it closes:
// the service then stops as by a signal, and leaves neither its port nor its data folder taken.
process.once('disconnect', () => process.kill(process.pid, 'SIGINT'))
