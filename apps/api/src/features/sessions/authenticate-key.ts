import type { FastifyRequest } from 'fastify'
import { digestOf } from '#platform/crypto/tokens'
import { readApiKey } from '#platform/http/credentials'
import { keyBucket } from '#platform/rate-limit/key-bucket'
import type { ProjectCaller } from '../../callers/callers.ts'
import type { Deps } from '../../deps.ts'
import { checkKey } from './validate.ts'

/**
 * Creates a function that returns the project ID of an API key. It reads the cache if the lease is valid, and otherwise
 * the database.
 *
 * @throws INVALID_API_KEY, PROJECT_INACTIVE
 */
export const createKeyCheck =
  ({ answers }: Pick<Deps, 'answers'>) =>
  async (key: string): Promise<string> => {
    const keyDigest = digestOf(key)
    const nowMs = answers.leasedNowMs()
    const projectId = nowMs === undefined ? undefined : answers.findKeyProject(keyDigest, nowMs)
    return projectId ?? checkKey(await answers.read({ keyDigest, tokenDigest: '' }), key)
  }

/** Creates the function that authenticates a project by its header `X-API-Key`. */
export function createKeyAuthenticator(checkKeyNow: ReturnType<typeof createKeyCheck>) {
  return async (request: FastifyRequest): Promise<ProjectCaller> => {
    const key = readApiKey(request.raw)
    const keyDigest = digestOf(key)
    return { projectId: await checkKeyNow(key), keyDigest, bucket: keyBucket(keyDigest) }
  }
}
