import Provider from 'oidc-provider'

/** The IDs of the single sign-ons that the current requests use, by the library's context of the request. */
const used = new WeakMap<object, string>()

/** Remembers the single sign-on that the current request uses. */
export function noteSso(id: string): void {
  if (Provider.ctx) used.set(Provider.ctx, id)
}

/** Returns the single sign-on that the current request uses, or undefined if it uses none. */
export const usedSso = (): string | undefined => Provider.ctx && used.get(Provider.ctx)
