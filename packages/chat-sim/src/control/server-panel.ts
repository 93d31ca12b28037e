import { type Html, html } from '../pages/html.ts'
import { hasBot } from '../world/state.ts'
import type { World } from '../world/world.ts'
import { hexColor, roleChip, sortedRoles } from './role-chip.ts'
import { actionForm, type View, viewUrl } from './view.ts'

/** Returns the tabs that select a server. */
export const serverTabs = (world: World, view: View): Html =>
  html`<nav class="tabs" aria-label="Servers">${[...world.guilds.values()].map(
    (guild) =>
      html`<a href="${viewUrl({ ...view, guild })}"${guild === view.guild && html` aria-current="page"`}>${guild.name}</a>`,
  )}</nav>`

/** Returns the panel for the selected server: its name, its availability, and its roles. */
export function serverPanel(world: World, view: View): Html {
  const { guild } = view
  const isBotIn = hasBot(world, guild)
  return html`<section class="panel" aria-labelledby="server-title">
<h2 id="server-title"><bdi>${guild.name}</bdi></h2>
<p class="quiet">${guild.members.size.toLocaleString('en')} members · ${guild.unavailable ? 'unavailable' : 'available'} · bot ${
    isBotIn ? 'is in it' : 'is not in it'
  } · <code>${guild.id}</code></p>
${actionForm(
  view,
  'rename-guild',
  html`<label>Name <input name="name" value="${guild.name}" required minlength="2" maxlength="100"></label>
<button class="secondary">Rename server</button>`,
  'fields',
)}
<div class="row">
${actionForm(
  view,
  'toggle-outage',
  html`<button id="outage" class="${guild.unavailable ? 'primary' : 'danger'}">${
    guild.unavailable ? 'End the outage' : 'Make unavailable'
  }</button>`,
)}
${actionForm(view, 'toggle-bot', html`<button id="bot" class="${isBotIn ? 'danger' : 'primary'}">${isBotIn ? 'Remove the bot' : 'Invite the bot'}</button>`)}
</div>
<h3>Roles</h3>
<ul class="roles">${sortedRoles(guild).map(
    (role) => html`<li>
<details><summary>${roleChip(role)}${role.managed && html` <span class="badge plain">managed</span>`}</summary>
${actionForm(
  view,
  'update-role',
  html`<input type="hidden" name="role" value="${role.id}">
<label>Name <input name="name" value="${role.name}" required maxlength="100"></label>
<label>Color <input type="color" name="color" value="${hexColor(role.color)}"></label>
<label>Position <input type="number" name="position" value="${role.position}" min="1" max="250"></label>
<button class="secondary">Save role</button>`,
  'fields',
)}
${!role.managed && actionForm(view, 'delete-role', html`<button class="danger" name="role" value="${role.id}">Delete role</button>`)}
</details></li>`,
  )}</ul>
<h3>New role</h3>
${actionForm(
  view,
  'create-role',
  html`<label>Name <input name="name" required maxlength="100"></label>
<label>Color <input type="color" name="color" value="#3b82f6"></label>
<button id="create-role" class="primary">Create role</button>`,
  'fields',
)}
</section>`
}
