import type { AdapterPayload } from 'oidc-provider'
import { digestOf } from '#platform/crypto/tokens'

/** The kinds of records that the library stores here. */
export type Model =
  | 'Session'
  | 'Interaction'
  | 'AuthorizationCode'
  | 'AccessToken'
  | 'RefreshToken'
  | 'DeviceCode'
  | 'PushedAuthorizationRequest'

/**
 * Returns the digest that identifies a stored record. The name of the record, for example a token, is the credential,
 * and is not stored.
 */
export const digestOfRecord = (model: Model, name: string): string => digestOf(`${model} ${name}`)

/** Replaces the record's own name in a stored address. */
const ownName = '{name}'

/** Converts a payload for storage. Removes every value that would let a reader of the database act as a member. */
export function toStored(name: string, { jti: _, userCode: __, ...payload }: AdapterPayload): string {
  const { session, returnTo, params, prompt, ...rest } = payload
  return JSON.stringify({
    ...rest,
    ...(session && { session: { accountId: session.accountId, uid: session.uid } }),
    ...(returnTo !== undefined && { returnTo: returnTo.replace(name, ownName) }),
    ...(params && { params: withoutHint(params) }),
    ...(prompt && { prompt: { ...prompt, details: withoutHint(prompt.details) } }),
  })
}

/** Restores a stored payload. `name` is the value that the record was looked up by. */
export function fromStored(name: string, text: string): AdapterPayload {
  const payload = JSON.parse(text) as AdapterPayload
  const { returnTo } = payload
  return {
    ...payload,
    jti: name,
    ...(returnTo !== undefined && { returnTo: returnTo.replace(ownName, name) }),
  }
}

/** Removes `id_token_hint`, which is a member's token. The library has checked it when the request arrived. */
const withoutHint = ({ id_token_hint: _, ...others }: Readonly<Record<string, unknown>>) => others
