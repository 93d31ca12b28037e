import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startChatSim } from '@rolecall/chat-sim'
import { afterAll } from 'vitest'
import { madeForTests } from './made-for-tests.ts'
import { startRedis } from './redis.ts'

/** Creates a temporary folder, and removes it after the tests of this block. Returns its path. */
export function folderForTests(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Starts the simulated chat platform before the tests of this block, and ends it after them. */
export const simForTests = (...terms: Parameters<typeof startChatSim>) =>
  madeForTests(
    () => startChatSim(...terms),
    (sim) => sim.close(),
  )

/** Starts a Redis server before the tests of this block, and ends it after them. */
export const redisForTests = (...terms: Parameters<typeof startRedis>) =>
  madeForTests(
    () => startRedis(...terms),
    (redis) => redis.stop(),
  )
