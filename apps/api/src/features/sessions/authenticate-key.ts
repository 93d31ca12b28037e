import type { FastifyRequest } from 'fastify'
import { digestOf } from '#platform/crypto/tokens'
import { gather } from '#platform/db/gather'
import { readApiKey } from '#platform/http/credentials'
import { keyBucket } from '#platform/rate-limit/key-bucket'
import type { Deps } from '../../deps.ts'
import type { ProjectCaller } from '../callers.ts'
import { readForValidate, type ValidateItem } from './live-store.ts'
import { checkKey } from './validate.ts'

/** The project of a good key, read from the database for each call. Throws as authentication does. */
export function createKeyCheck({ db }: Pick<Deps, 'db'>) {
  const read = gather((items: ValidateItem[]) => readForValidate(db, items), db.gathersAtOnce)
  return async (key: string) => checkKey(await read({ keyDigest: digestOf(key), tokenDigest: '' }), key)
}

/** Authenticates a project by `X-API-Key`. */
export function createKeyAuthenticator(checkKeyNow: ReturnType<typeof createKeyCheck>) {
  return async (request: FastifyRequest): Promise<ProjectCaller> => {
    const key = readApiKey(request.raw)
    return { projectId: await checkKeyNow(key), bucket: keyBucket(digestOf(key)) }
  }
}
