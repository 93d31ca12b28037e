import type { FastifyRequest } from 'fastify'
import { digestOf, keyPrefixOf } from '#platform/crypto/tokens'
import { gather } from '#platform/db/gather'
import type { Deps } from '../../deps.ts'
import type { ProjectCaller } from '../callers.ts'
import { readForValidate, type ValidateItem } from './live-store.ts'
import { checkKey, readKey } from './validate.ts'

/** Authenticates a project by `X-API-Key`, read from the database for each request. */
export function createKeyAuthenticator({ db }: Pick<Deps, 'db'>) {
  const read = gather((items: ValidateItem[]) => readForValidate(db, items), db.gathersAtOnce)
  return async (request: FastifyRequest): Promise<ProjectCaller> => {
    const key = readKey(request)
    const projectId = checkKey(await read({ keyDigest: digestOf(key), tokenDigest: '' }), key)
    return { projectId, bucket: `key:${keyPrefixOf(key)}` }
  }
}
