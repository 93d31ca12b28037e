/**
 * Walks through the sign-in and consent pages as a browser would, by their own forms. Returns the address to which the
 * platform sends the browser at the end. For tests: `await login(authorizeUrl, { as: demo.users.mara })`.
 */
export async function walkLogin(
  url: string,
  { as, cancel = false }: { as: string; cancel?: boolean },
): Promise<string> {
  const start = await fetch(url, { redirect: 'manual' })
  const chosen = await submit(url, await start.text(), '/login', { user: as })
  const cookie = chosen.headers.get('set-cookie')?.split(';')[0]
  if (!cookie) throw new Error(`The simulator did not let ${as} log in: ${await chosen.text()}`)

  const consentUrl = new URL(chosen.headers.get('location') ?? '', url).href
  const consent = await fetch(consentUrl, { redirect: 'manual', headers: { cookie } })
  // With `prompt=none`, there is no consent page if the user has approved all scopes before.
  if (consent.status === 302) return locationOf(consent)
  const decision = cancel ? 'cancel' : 'authorize'
  return locationOf(await submit(consentUrl, await consent.text(), '/oauth2/authorize', { decision }, cookie))
}

function locationOf(response: Response): string {
  const location = response.headers.get('location')
  if (!location) throw new Error(`The simulator answered ${response.status} instead of a redirect`)
  return location
}

/** Sends the form of a page that has the given `action`, with its hidden fields and the pressed button. */
function submit(url: string, markup: string, action: string, pressed: Record<string, string>, cookie = '') {
  const forms = markup.split('<form').slice(1)
  const form = forms.find((part) => /method="post"/.test(part) && actionOf(part).includes(action))
  if (!form)
    throw new Error(`The page at ${url} has no form for ${action}:\n${markup.replace(/<[^>]+>/g, ' ')}`)
  const [inside = ''] = form.split('</form>')
  const fields = [...inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  const body = new URLSearchParams()
  for (const [, name, value] of fields) body.append(unescaped(name), unescaped(value))
  for (const [name, value] of Object.entries(pressed)) body.set(name, value)
  return fetch(new URL(actionOf(form), url), {
    method: 'POST',
    body,
    redirect: 'manual',
    headers: { cookie },
  })
}

const actionOf = (form: string) => unescaped(/action="([^"]*)"/.exec(form)?.[1])

const unescaped = (text = '') =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
