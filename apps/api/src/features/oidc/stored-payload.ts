import type { AdapterPayload } from 'oidc-provider'

/** What the library keeps of a kind. Others it does not keep here. */
export type Model =
  | 'Session'
  | 'Interaction'
  | 'AuthorizationCode'
  | 'AccessToken'
  | 'RefreshToken'
  | 'DeviceCode'
  | 'PushedAuthorizationRequest'

/** Stands for the name of the record itself, which is not stored. */
const ownName = '{name}'

/** A payload as it is stored: without whatever would let a reader of the database act as somebody. */
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

/** The payload that was stored, found by its name. */
export function fromStored(name: string, text: string): AdapterPayload {
  const payload = JSON.parse(text) as AdapterPayload
  const { returnTo } = payload
  return {
    ...payload,
    jti: name,
    ...(returnTo !== undefined && { returnTo: returnTo.replace(ownName, name) }),
  }
}

/** A hint is a token of somebody; it was checked when it came. */
const withoutHint = ({ id_token_hint: _, ...others }: Readonly<Record<string, unknown>>) => others
