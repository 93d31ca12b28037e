import type { Call, Reply } from '../http/call.ts'
import type { Platform } from '../platform.ts'
import type { SimUser } from '../world/model.ts'
import type { World } from '../world/world.ts'
import { findPeople } from './find-people.ts'
import { type Html, html } from './html.ts'
import { page } from './page.ts'
import { badges, displayName, picture } from './person.ts'

/** The maximum number of accounts on the page. Others can be found by name. */
const shown = 24
const searchName = 'sim_search'

/** Returns the page "Choose an account", which replaces the platform's form for name and password. */
export function loginPage({ world }: Platform, call: Call): Reply {
  const search = call.query.get(searchName) ?? ''
  const request = new URLSearchParams(call.query)
  request.delete(searchName)
  const people = findPeople(world, search, shown)
  const total = world.users.size + world.generatedUsers

  return page({
    title: 'Choose an account',
    main: html`<main class="card" aria-labelledby="title">
<h1 id="title">Choose an account</h1>
<p class="quiet">to continue to <strong>${world.application.name}</strong>. There are no passwords here. Choose one of ${total} simulated people.</p>
<form class="search" method="get" action="${call.path}" role="search">
${[...request].map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label for="search">Find by name or ID</label>
<input id="search" type="search" name="${searchName}" value="${search}" autocomplete="off">
<button class="secondary">Search</button>
</form>
<form method="post" action="/login">
<input type="hidden" name="next" value="${`${call.path}?${request}`}">
${people.length === 0 && html`<p role="status">No results.</p>`}
<ul class="people">${people.map((user) => html`<li>${choice(world, user)}</li>`)}</ul>
</form>
${people.length >= shown && html`<p class="quiet">Only the first ${shown} are shown. Search to find others.</p>`}
</main>`,
  })
}

const choice = (
  world: World,
  user: SimUser,
): Html => html`<button class="person" name="user" value="${user.id}"${
  user.bot && html` disabled title="Bots cannot sign in"`
}>
${picture(user, 48)}
<span class="who"><bdi class="name">${displayName(user)}</bdi> <span class="handle">@${user.username}</span></span>
<span class="badges">${badges(world, user)}</span>
</button>`
