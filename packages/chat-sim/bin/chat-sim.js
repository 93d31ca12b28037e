#!/usr/bin/env node
import { startChatSim } from '@rolecall/chat-sim'

const [port = '4000', host = '127.0.0.1'] = process.argv.slice(2)
const sim = await startChatSim({ port: Number(port), host })

console.log(`Chat platform simulator: ${sim.url}
  CHAT_API_URL=${sim.apiUrl}
  CHAT_AUTHORIZE_URL=${sim.authorizeUrl}
  CHAT_CDN_URL=${sim.cdnUrl}
  Control page: ${sim.controlUrl}`)
