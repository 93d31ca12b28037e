// What the primary process starts for each worker. No ES module: Node sends the first message to the primary before it
// runs one, and when the primary has died by then, only code that runs at once can hear that the message failed.
const { worker } = require('node:cluster')

worker?.on('error', (error) => {
  // Node ends a worker, or lets it finish, by the event `disconnect`, which follows.
  if (!['EPIPE', 'ECONNRESET', 'ERR_IPC_CHANNEL_CLOSED'].includes(error.code)) throw error
})
void import('./rolecall.js')
