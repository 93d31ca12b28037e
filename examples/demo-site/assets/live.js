// Requests the member's roles twice a second while the page is visible, and shows changes.
const roles = document.getElementById('roles')
const asOf = document.getElementById('as-of')
const source = document.getElementById('source')
const ended = document.getElementById('ended')
let shown = roles.innerHTML

async function ask() {
  const answer = await fetch('/live').then((response) => response.json())
  if (!answer.isLive) {
    ended.hidden = false
    roles.classList.add('stale')
    return false
  }
  asOf.dateTime = answer.rolesAsOf
  asOf.textContent = `${answer.rolesAsOf.slice(11, 19)} UTC`
  source.textContent = answer.rolesSource
  // Writes only changes, because each write is read aloud by screen readers, and clears a selection of text.
  if (answer.roles !== shown) {
    roles.innerHTML = answer.roles
    shown = answer.roles
    roles.classList.add('changed')
  }
  return true
}

async function keepAsking() {
  if (document.hidden) return document.addEventListener('visibilitychange', keepAsking, { once: true })
  // Continues without a message during an outage. The reader sees that the time above does not advance.
  const goOn = await ask().catch(() => true)
  if (goOn) setTimeout(keepAsking, 500)
}
setTimeout(keepAsking, 500)
