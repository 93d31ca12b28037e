// Asks twice a second what has changed, while somebody is looking.
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
  // Only a change is written: what is written is also read out, and would lose a selection.
  if (answer.roles !== shown) {
    roles.innerHTML = answer.roles
    shown = answer.roles
    roles.classList.add('changed')
  }
  return true
}

async function keepAsking() {
  if (document.hidden) return document.addEventListener('visibilitychange', keepAsking, { once: true })
  // An outage is no reason to give up, nor to tell anyone: the time above stands still.
  const goOn = await ask().catch(() => true)
  if (goOn) setTimeout(keepAsking, 500)
}
setTimeout(keepAsking, 500)
