/**
 * The script of the control page. With it, a form keeps the scroll position and the focus, and the figures refresh
 * themselves. The page also works without it, because every button is a form.
 */
export const script = `
'use strict'
const parse = async (reply) => new DOMParser().parseFromString(await reply.text(), 'text/html')
const say = (text) => {
  const line = document.createElement('p')
  line.className = 'said wrong'
  line.setAttribute('role', 'alert')
  line.textContent = text
  document.getElementById('said').replaceChildren(line)
}
const openRoles = () => [...document.querySelectorAll('details[open] input[name=role]')].map((input) => input.value)

document.addEventListener('submit', async (event) => {
  const form = event.target
  if (form.method !== 'post') return
  event.preventDefault()
  const focused = event.submitter && event.submitter.id
  const open = openRoles()
  const body = new URLSearchParams(new FormData(form, event.submitter))
  try {
    const reply = await fetch(form.action, { method: 'POST', body })
    const page = await parse(reply)
    const main = page.getElementById('control')
    if (!main) return say('The request was rejected (' + reply.status + ').')
    document.getElementById('control').replaceWith(main)
    history.replaceState(null, '', reply.url)
    for (const input of document.querySelectorAll('details input[name=role]')) {
      if (open.includes(input.value)) input.closest('details').open = true
    }
    const next = focused && document.getElementById(focused)
    if (next) next.focus({ preventScroll: true })
  } catch {
    say('The simulator does not respond.')
  }
})

setInterval(async () => {
  if (document.hidden) return
  try {
    const page = await parse(await fetch(location.href))
    const live = page.getElementById('live')
    if (live) document.getElementById('live').replaceWith(live)
  } catch {}
}, 2000)
`
