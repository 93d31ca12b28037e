import type { Role, Session, SessionListItem } from '@rolecall/sdk'
import { type Html, html } from './html.ts'
import { page } from './page.ts'
import type { Answer } from './recorder.ts'

interface WelcomePage {
  readonly controlUrl: string
  /** The address of the console, for the people who run the community. */
  readonly consoleUrl: string
  readonly wasLoggedIn: boolean
}

/** Returns the page for visitors who are not signed in. */
export const welcomePage = ({ controlUrl, consoleUrl, wasLoggedIn }: WelcomePage): Html =>
  page({
    title: 'Welcome',
    main: html`<main class="card narrow">
${wasLoggedIn && html`<p class="notice" role="status">Your session has ended: it was revoked, or it expired.</p>`}
<h1>Members only</h1>
<p>This site is for members of one Discord server. It shows their current roles, live.</p>
<p class="buttons"><a class="button primary" href="/login">Sign in with Discord</a></p>
<p class="quiet small">This Discord is a local simulation without passwords: choose an account. Emil is not a member and
Viktor is banned, so both are refused. <a href="${controlUrl}">Change the community</a></p>
<p class="quiet small">Running the community? Open the <a href="${consoleUrl}">Rolecall console</a> and sign in as Mara Lind.</p>
</main>`,
  })

/** The content of a member's page. */
export interface MemberPage {
  readonly session: Session
  readonly sessions: readonly SessionListItem[]
  readonly answer: Answer | undefined
  readonly picture: string | undefined
  /** The address of the page on which the reader can give and take this member's roles. */
  readonly controlUrl: string
}

/**
 * Returns the page for a member: their profile, their roles as they change, and buttons for calls of the library.
 */
export function memberPage({ session, sessions, answer, picture, controlUrl }: MemberPage): Html {
  const { member } = session
  const name = member.preferredName ?? member.displayName ?? member.globalName ?? member.username
  return page({
    title: name,
    script: '/live.js',
    main: html`<main class="member">
<section class="card who" aria-labelledby="name">
${picture ? html`<img class="picture" src="${picture}" alt="" width="88" height="88">` : html`<span class="picture" aria-hidden="true">${[...name][0]}</span>`}
<div>
<h1 id="name"><bdi>${name}</bdi></h1>
<p class="quiet"><bdi>@${member.username}</bdi>${member.email && html` · ${member.email}`}</p>
</div>
</section>

<section class="card" aria-labelledby="roles-title">
<h2 id="roles-title">Current roles</h2>
<p id="ended" class="notice" role="status" hidden>This session has ended. <a href="/">Continue</a></p>
<div id="roles" aria-live="polite">${liveRoles(session)}</div>
<p class="quiet small">As of <time id="as-of" datetime="${session.rolesAsOf}">${time(session.rolesAsOf)}</time>, by
<code id="source">${session.rolesSource}</code>. <a href="${controlUrl}" target="chat-control">Add or remove a role</a> and watch this page.</p>
</section>

<section class="card" aria-labelledby="session-title">
<h2 id="session-title">This session</h2>
<dl class="facts">
<div><dt>id</dt><dd><code>${session.session.id}</code></dd></div>
<div><dt>server</dt><dd><code>${session.session.serverId}</code></dd></div>
<div><dt>since</dt><dd>${moment(session.session.createdAt)}</dd></div>
<div><dt>until</dt><dd>${moment(session.session.expiresAt)}</dd></div>
</dl>
<div class="buttons">
${button('/validate', 'Validate')}
${button('/refresh', 'Refresh')}
${button('/sessions', 'List sessions')}
${button('/logout', 'Sign out', 'danger')}
${button('/logout-all', 'Sign out everywhere', 'danger')}
</div>
</section>

<section class="card answer" id="answer" tabindex="-1" aria-labelledby="answer-title">
<h2 id="answer-title">Last response of the service</h2>
${answer ? answerOf(answer) : html`<p class="quiet">Press a button to send a request.</p>`}
</section>

<section class="card sessions" aria-labelledby="sessions-title">
<h2 id="sessions-title">Your sessions</h2>
<ul>${sessions.map((one) => sessionRow(one, one.id === session.session.id))}</ul>
</section>
</main>`,
  })
}

/** Returns the list of roles. The page's script requests it, too, to show changes. */
export const liveRoles = ({ roles }: Session): Html =>
  roles.length > 0
    ? html`<ul class="roles">${roles.map(roleChip)}</ul>`
    : html`<p class="quiet">No roles in this server.</p>`

/**
 * Returns a role with its color. The color is an attribute of an SVG, because the page's policy allows no inline
 * styles.
 */
const roleChip = ({ roleId, roleName, roleColor }: Role) => html`<li data-role="${roleId}">
<svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill="${
  roleColor === null ? 'currentColor' : `#${roleColor.toString(16).padStart(6, '0')}`
}"/></svg><bdi>${roleName}</bdi></li>`

const button = (action: string, label: string, kind = '') =>
  html`<form method="post" action="${action}"><button class="button ${kind}">${label}</button></form>`

const answerOf = ({ call, method, path, status, durationMs, json }: Answer) => html`
<p class="call"><code>${call}</code></p>
<p class="wire"><code>${method} ${path}</code> <span class="badge ${status < 400 ? 'good' : 'bad'}">${status}</span>
<span class="quiet small">${durationMs} ms</span></p>
<pre tabindex="0" aria-label="Response body">${json || '(no body)'}</pre>`

/** The names of sessions that do not belong to this project. The service does not name other projects. */
const kindNames: Partial<Record<SessionListItem['kind'], string>> = {
  admin: 'The administration',
  sso: 'Single sign-on in a browser',
}

const sessionRow = (
  { id, kind, createdAt, clientInfo }: SessionListItem,
  isThis: boolean,
) => html`<li data-kind="${kind}">
<div>
<p><strong>${kindNames[kind] ?? nameOf(clientInfo?.userAgent)}</strong> ${isThis && html`<span class="badge good">this session</span>`}</p>
<p class="quiet small">since ${moment(createdAt)}${clientInfo?.ipAddress && html` · ${clientInfo.ipAddress}`} · <code>…${id.slice(-8)}</code></p>
</div>
<form method="post" action="/revoke"><button class="button danger" name="id" value="${id}" aria-label="Revoke the session …${id.slice(-8)}">Revoke</button></form>
</li>`

/** Returns the names of the browser and of the operating system. */
function nameOf(userAgent: string | null | undefined): string {
  const browser = /(Firefox|Edg|OPR|HeadlessChrome|Chrome|Version)\/(\d+)/.exec(userAgent ?? '')
  if (!browser) return userAgent?.slice(0, 40) ?? 'Unknown browser'
  const names: Record<string, string> = {
    Version: 'Safari',
    Edg: 'Edge',
    OPR: 'Opera',
    HeadlessChrome: 'Chrome',
  }
  const [, word = '', version] = browser
  const system = /(Windows|Mac OS X|Android|iPhone|iPad|Linux)/.exec(userAgent ?? '')?.[1]
  return `${names[word] ?? word} ${version}${system ? ` on ${system.replace(' OS X', '')}` : ''}`
}

const time = (iso: string) => `${iso.slice(11, 19)} UTC`
const moment = (iso: string) =>
  html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`
