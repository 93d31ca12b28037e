import { findPeople } from '../pages/find-people.ts'
import { type Html, html } from '../pages/html.ts'
import { badges, displayName, picture } from '../pages/person.ts'
import type { World } from '../world/world.ts'
import { type View, viewUrl } from './view.ts'

const shown = 14

/** Returns the panel in which to select a person. It includes people outside the server, because they can join. */
export function peoplePanel(world: World, view: View): Html {
  const people = findPeople(world, view.search, shown)
  return html`<section class="panel" aria-labelledby="people-title">
<h2 id="people-title">People</h2>
<form class="search" method="get" action="/control" role="search">
<input type="hidden" name="guild" value="${view.guild.id}">
<label for="search">Find by name or ID</label>
<input id="search" type="search" name="search" value="${view.search}" autocomplete="off">
<button class="secondary">Search</button>
</form>
${people.length === 0 && html`<p role="status">No results.</p>`}
<ul class="picks">${people.map(
    (user) => html`<li><a id="pick-${user.id}" href="${viewUrl({ ...view, user })}"${
      user.id === view.user?.id && html` aria-current="true"`
    }>
${picture(user, 36)}
<span><bdi class="name">${displayName(user)}</bdi> <span class="handle">@${user.username}</span>
<span class="badges">${badges(world, user)}</span></span></a></li>`,
  )}</ul>
</section>`
}
