import { type Html, html } from '../pages/html.ts'
import { displayName, picture } from '../pages/person.ts'
import type { SimGuild, SimMember, SimUser } from '../world/model.ts'
import { roleChip, sortedRoles } from './role-chip.ts'
import { actionForm, type View } from './view.ts'

/** Returns the panel with all actions on the selected person in the selected server. */
export function memberPanel(view: View): Html {
  const { guild, user } = view
  if (!user) {
    return html`<section class="panel" aria-labelledby="member-title"><h2 id="member-title">Member</h2>
<p class="quiet">Choose a person from the list to change their roles, or to rename, kick, or ban them.</p></section>`
  }
  const member = guild.members.get(user.id)
  return html`<section class="panel" aria-labelledby="member-title">
<div class="heading">${picture(user, 56)}<div><h2 id="member-title"><bdi>${displayName(user)}</bdi></h2>
<p class="quiet">@${user.username} · <code>${user.id}</code></p></div></div>
${member ? inside(view, guild, member) : outside(view, guild, user)}
<h3>Account</h3>
${actionForm(
  view,
  'rename-user',
  html`<label>Display name <input name="global_name" value="${user.global_name ?? ''}" maxlength="32"></label>
<label>Username <input name="username" value="${user.username}" required maxlength="32"></label>
<button class="secondary">Save account</button>`,
  'fields',
)}
</section>`
}

const inside = (view: View, guild: SimGuild, member: SimMember): Html => html`
<h3 id="roles-of">Roles in ${guild.name}</h3>
${actionForm(
  view,
  'toggle-role',
  html`<div class="toggles" role="group" aria-labelledby="roles-of">${sortedRoles(guild).map(
    (role) =>
      html`<button id="wear-${role.id}" class="toggle" name="role" value="${role.id}" aria-pressed="${
        member.roles.includes(role.id) ? 'true' : 'false'
      }"${role.managed && html` disabled title="Managed by Discord"`}>${roleChip(role)}</button>`,
  )}</div>`,
)}
${actionForm(
  view,
  'nick',
  html`<label>Nickname <input name="nick" value="${member.nick ?? ''}" maxlength="32"></label>
<button class="secondary">Save nickname</button>`,
  'fields',
)}
<div class="row">
${actionForm(
  view,
  'toggle-pending',
  html`<button id="pending" class="secondary">${
    member.pending ? 'Pass screening' : 'Back to screening'
  }</button>`,
)}
${actionForm(view, 'kick', html`<button id="kick" class="danger">Kick</button>`)}
${actionForm(view, 'ban', html`<button id="ban" class="danger">Ban</button>`)}
</div>`

const outside = (view: View, guild: SimGuild, user: SimUser): Html =>
  guild.bans.has(user.id)
    ? html`<p>Banned from ${guild.name}.</p>${actionForm(view, 'unban', html`<button id="ban" class="primary">Lift the ban</button>`)}`
    : html`<p>Not in ${guild.name}.</p>${actionForm(view, 'join', html`<button id="kick" class="primary">Join the server</button>`)}`
