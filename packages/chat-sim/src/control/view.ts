import type { Call } from '../http/call.ts'
import { type Html, html } from '../pages/html.ts'
import type { SimGuild, SimUser } from '../world/model.ts'
import { findUser } from '../world/state.ts'
import type { World } from '../world/world.ts'

/** The selection on the control page: a server and a person. It is in the address, so a reload shows the same. */
export interface View {
  guild: SimGuild
  user: SimUser | undefined
  search: string
}

/** Reads the selection from the query of the address. */
export function readView(world: World, params: Call['query']): View {
  const guild = world.guilds.get(params.get('guild') ?? '') ?? [...world.guilds.values()][0]
  if (!guild) throw new Error('The simulated Discord has no servers')
  return { guild, user: findUser(world, params.get('member') ?? ''), search: params.get('search') ?? '' }
}

const query = ({ guild, user, search }: View): [string, string][] => [
  ['guild', guild.id],
  ...(user ? [['member', user.id] as [string, string]] : []),
  ...(search ? [['search', search] as [string, string]] : []),
]

/** Returns the address of the control page with a selection. */
export const viewUrl = (view: View): string => `/control?${new URLSearchParams(query(view))}`

/** Returns a form that runs an action, and then shows the same view again. */
export const actionForm = (view: View, action: string, inside: Html, className = 'inline'): Html => html`
<form method="post" action="/control/${action}" class="${className}">
${query(view).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${inside}
</form>`
