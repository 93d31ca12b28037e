// Signs in at a service with the simulated chat platform, as a site does. Used by the programs that try a release.

/** @typedef {{ url: string, id: string, key: string, redirectUri: string, serverId: string }} Site */

/** @param {Site} site @param {string} path @param {object} body */
export const ask = ({ url, key }, path, body) =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify(body),
  })

/**
 * Completes a sign-in: the authorize request, the platform's screen, the callback, and the exchange. Returns the token
 * of the session.
 * @param {Site} site
 * @param {string} as the member
 * @returns {Promise<string>}
 */
export async function logIn(site, as) {
  const { url, id, redirectUri, serverId } = site
  const query = new URLSearchParams({
    client_id: id,
    redirect_uri: redirectUri,
    server_id: serverId,
    state: 'x',
  })
  const start = await fetch(`${url}/api/auth/authorize?${query}`, { redirect: 'manual' })
  const cookies = start.headers.getSetCookie().map((line) => line.split(';')[0])
  const screen = `${start.headers.get('location')}&login_as=${as}&auto=1`
  const back = (await fetch(screen, { redirect: 'manual' })).headers.get('location') ?? ''
  const end = await fetch(back, { redirect: 'manual', headers: { cookie: cookies.join('; ') } })
  const code = new URL(end.headers.get('location') ?? '').searchParams.get('code')
  const session = await ask(site, '/api/auth/token', { clientId: id, code, redirectUri })
  if (!session.ok) throw new Error(`The exchange answered ${session.status}: ${await session.text()}`)
  return (await session.json()).token
}
