import type { Call, Reply } from '../http/call.ts'
import type { AuthorizeRequest } from '../oauth2/authorize-request.ts'
import type { Platform } from '../platform.ts'
import type { SimUser } from '../world/model.ts'
import { html } from './html.ts'
import { page } from './page.ts'
import { displayName, picture } from './person.ts'

const meanings: Record<string, string> = {
  identify: 'Access your username, avatar and banner',
  email: 'Access your email address',
  openid: 'Sign you in with an ID token',
  guilds: 'Know what servers you are in',
  'guilds.join': 'Join servers for you',
  'guilds.members.read': 'Read your member info (nickname, avatar, roles) in servers you belong to',
  connections: 'Access your third-party connections',
}

/** Returns the page that shows which data the application would receive, with buttons to agree or cancel. */
export const consentPage = (
  { world }: Platform,
  call: Call,
  request: AuthorizeRequest,
  user: SimUser,
): Reply =>
  page({
    title: 'Authorize',
    formsLeaveTheSite: true,
    main: html`<main class="card narrow" aria-labelledby="title">
<p class="center">${picture(user, 80)}</p>
<h1 id="title" class="center">${world.application.name}</h1>
<p class="center quiet">wants to access your account</p>
<div class="signed-in">
<span>Signed in as <bdi><strong>${displayName(user)}</strong></bdi> <span class="handle">@${user.username}</span></span>
<form method="post" action="/login">
<input type="hidden" name="next" value="${`${call.path}?${call.query}`}">
<button class="link" name="user" value="">Not you?</button>
</form>
</div>
<h2>This will allow ${world.application.name} to</h2>
<ul class="scopes">${request.scopes.map(
      (scope) => html`<li>${meanings[scope] ?? scope} <code>${scope}</code></li>`,
    )}</ul>
<form class="decision" method="post" action="${`${call.path}?${call.query}`}">
<input type="hidden" name="user" value="${user.id}">
<button class="secondary" name="decision" value="cancel">Cancel</button>
<button class="primary" name="decision" value="authorize">Authorize</button>
</form>
<p class="quiet small">Afterwards you will be sent to <code>${request.redirectUri}</code></p>
</main>`,
  })
