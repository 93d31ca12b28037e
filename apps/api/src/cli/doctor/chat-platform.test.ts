import { demo, startChatSim } from '@rolecall/chat-sim'
import { expect, test } from 'vitest'
import { createLog } from '#platform/log'
import { loadConfig } from '../../config.ts'
import { chatFor } from '../chat-client.ts'
import { botLines } from './chat-platform.ts'

test.each([
  [{ status: 429, retryAfterSec: 600, global: true }, /^Discord rate-limits requests\. Wait a few minutes/],
  [{ html200: true }, /^A response from Discord lacks .*discordstatus\.com, and the proxy between this host/],
  [{ truncate: true }, /^Discord sent a response that is not JSON\. Check CHAT_API_URL/],
  [{ reset: true }, /^Discord does not respond\. Check the network and CHAT_API_URL/],
])(
  'a platform that answers with %j is not called silent',
  async (fault, expected) => {
    const sim = await startChatSim()
    const { config } = loadConfig({
      CHAT_API_URL: sim.apiUrl,
      CHAT_BOT_TOKEN: sim.app.botToken,
      CHAT_GUILD_ID: demo.mainGuildId,
    })
    sim.failFor('me', fault, 60_000)
    sim.failFor('user', fault, 60_000)
    const lines = await botLines(config, chatFor(config, createLog('silent')))
    expect(lines).toEqual([{ kind: 'problem', text: expect.stringMatching(expected), isPlatformAway: true }])
    await sim.close()
  },
  30_000,
)
