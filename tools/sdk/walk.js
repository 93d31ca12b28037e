/**
 * Uses the client as a project does, in any runtime. It never calls `close()`, because the program must end without it.
 * @param {typeof import('@rolecall/sdk')} sdk
 * @param {{ url: string, key: string, token: string, refreshToken: string }} given
 */
export async function walk({ Rolecall, RolecallError, mintLogin }, { url, key, token, refreshToken }) {
  let calls = 0
  const { fetch } = globalThis
  globalThis.fetch = (...request) => {
    calls += 1
    return fetch(...request)
  }
  const rolecall = new Rolecall({ baseUrl: url, apiKey: key })
  const cached = new Rolecall({ baseUrl: url, apiKey: key, cache: { maxAgeMs: 60_000 } })

  const login = await rolecall.authorizeUrl({
    clientId: 'c',
    redirectUri: 'r',
    serverId: 's',
    ...mintLogin(),
  })
  const session = await rolecall.validate(token, { signal: new AbortController().signal })
  const next = await rolecall.refresh({ token, refreshToken })

  /** True once `cached` returns the session from memory. */
  const isLocal = await until(async () => {
    const before = calls
    await cached.validate(next.token)
    return calls === before
  })
  await rolecall.logout(next.token)
  /** True once an event has reported the logout by another client. */
  const isTold = await until(async () => (await cached.validate(next.token)) === undefined)

  const refused = await new Rolecall({ baseUrl: url, apiKey: 'rck_wrong' }).validate(token).catch((e) => e)
  return {
    member: session?.member.username,
    hasChallenge: login.includes('code_challenge='),
    isLocal,
    isTold,
    code: refused instanceof RolecallError ? refused.code : String(refused),
    signature: (await rolecall.webhooks.sign({ body: '{}', secret: 'whsec_x' })).slice(0, 2),
  }
}

/** Repeats a check until it returns true, for up to ten seconds. @param {() => Promise<boolean>} isSo */
async function until(isSo) {
  for (let i = 0; i < 500; i++) {
    if (await isSo()) return true
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return false
}
