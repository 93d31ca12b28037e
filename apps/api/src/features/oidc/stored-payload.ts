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

/** Returns the digest by which a record is stored. Its name, which is the credential, is not. */
export const digestOfRecord = (model: Model, name: string): string => digestOf(`${model} ${name}`)

/** Represents the name of the record itself, which is not stored. */
const ownName = '{name}'

/** Returns a payload to store, without any value that would let a reader of the database act as a member. */
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

/** Returns the payload that was stored, found by its name. */
export function fromStored(name: string, text: string): AdapterPayload {
  const payload = JSON.parse(text) as AdapterPayload
  const { returnTo } = payload
  return {
    ...payload,
    jti: name,
    ...(returnTo !== undefined && { returnTo: returnTo.replace(ownName, name) }),
  }
}

/** Removes a hint, which is a token of a member. It was checked when it arrived. */
const withoutHint = ({ id_token_hint: _, ...others }: Readonly<Record<string, unknown>>) => others
