import { digestOf } from '#platform/crypto/tokens'
import type { FrontRequest } from '#platform/http/front'
import { keyBucket } from '#platform/rate-limit/key-bucket'
import type { Answers } from '#session-memory/answers'
import type { ProjectCaller } from './callers.ts'

/**
 * Returns the project of the API key in a request, from the cache alone. Returns undefined if the cache does not
 * contain the key. Requires a valid lease, and the time from `leasedNowMs`.
 */
export function projectFromMemory(
  answers: Pick<Answers, 'findKeyProject'>,
  { headers }: FrontRequest,
  nowMs: number,
): ProjectCaller | undefined {
  const key = headers['x-api-key']
  if (typeof key !== 'string') return undefined
  // The form of the key needs no check, because only valid keys are cached.
  const keyDigest = digestOf(key)
  const projectId = answers.findKeyProject(keyDigest, nowMs)
  return projectId === undefined ? undefined : { projectId, keyDigest, bucket: keyBucket(keyDigest) }
}
