import type { GatewayControl } from '../gateway/control.ts'
import type { Platform } from '../platform.ts'
import type { SimUser } from '../world/model.ts'
import { hasBot } from '../world/state.ts'
import type { View } from './view.ts'

/** The parts of the simulator that the control page uses. */
export interface Desk {
  platform: Platform
  gateway: GatewayControl
  /** Restores the demo world, and removes all faults. */
  reset(): Promise<void>
}

interface Order {
  desk: Desk
  view: View
  /** Returns a field of the form, without spaces at its ends. */
  field(name: string): string
}

/** The action of a button on the control page. Returns one sentence about its result, which the page shows. */
type Action = (order: Order) => string | Promise<string>

/** The actions of all buttons, by the name in the address to which their form is sent. */
export const actions: Readonly<Record<string, Action>> = {
  'toggle-role': ({ desk: { platform }, view, field }) => {
    const user = chosen(view)
    const worn = view.guild.members.get(user.id)?.roles ?? []
    const role = field('role')
    const takes = worn.includes(role)
    platform.world.setRoles(
      view.guild.id,
      user.id,
      takes ? worn.filter((id) => id !== role) : [...worn, role],
    )
    return `${takes ? 'Took' : 'Gave'} ${view.guild.roles.get(role)?.name} ${takes ? 'from' : 'to'} ${user.username}.`
  },
  nick: ({ desk: { platform }, view, field }) => {
    platform.world.setNick(view.guild.id, chosen(view).id, field('nick') || null)
    return 'Nickname saved.'
  },
  'toggle-pending': ({ desk: { platform }, view }) => {
    const { id } = chosen(view)
    const pending = !view.guild.members.get(id)?.pending
    platform.world.setPending(view.guild.id, id, pending)
    return pending ? 'Back in screening.' : 'Passed screening.'
  },
  kick: ({ desk: { platform }, view }) => {
    platform.world.removeMember(view.guild.id, chosen(view).id)
    return `${chosen(view).username} is out of ${view.guild.name}.`
  },
  ban: ({ desk: { platform }, view }) => {
    platform.world.ban(view.guild.id, chosen(view).id)
    return `${chosen(view).username} is banned.`
  },
  unban: ({ desk: { platform }, view }) => {
    platform.world.unban(view.guild.id, chosen(view).id)
    return 'The ban is lifted.'
  },
  join: ({ desk: { platform }, view }) => {
    platform.world.addMember(view.guild.id, chosen(view).id)
    return `${chosen(view).username} joined ${view.guild.name}.`
  },
  'rename-user': ({ desk: { platform }, view, field }) => {
    const input = { username: required(field('username')), global_name: field('global_name') || null }
    platform.world.updateUser(chosen(view).id, input)
    return 'Account saved.'
  },
  'rename-guild': ({ desk: { platform }, view, field }) => {
    platform.world.updateGuild(view.guild.id, { name: required(field('name')) })
    return 'Server renamed.'
  },
  'toggle-outage': ({ desk: { platform }, view }) => {
    platform.world.setGuildUnavailable(view.guild.id, !view.guild.unavailable)
    return `${view.guild.name} is ${view.guild.unavailable ? 'unavailable' : 'available again'}.`
  },
  'toggle-bot': ({ desk: { platform }, view }) => {
    const wasIn = hasBot(platform.world, view.guild)
    if (wasIn) platform.world.kickBot(view.guild.id)
    else platform.world.inviteBot(view.guild.id)
    return wasIn ? 'The bot was removed.' : 'The bot is back.'
  },
  'create-role': ({ desk: { platform }, view, field }) => {
    const name = required(field('name'))
    platform.world.createRole(view.guild.id, { name, color: color(field('color')) })
    return `Role ${name} created.`
  },
  'update-role': ({ desk: { platform }, view, field }) => {
    const input = {
      name: required(field('name')),
      color: color(field('color')),
      position: amount(field('position')),
    }
    platform.world.updateRole(view.guild.id, field('role'), input)
    return 'Role saved.'
  },
  'delete-role': ({ desk: { platform }, view, field }) => {
    platform.world.deleteRole(view.guild.id, field('role'))
    return 'Role deleted.'
  },
  storm: ({ desk: { platform }, field }) => {
    platform.faults.failFor(
      '*',
      { status: 429, retryAfterSec: amount(field('seconds')) },
      amount(field('seconds')) * 1_000,
    )
    return `Every request returns 429 for ${field('seconds')} s.`
  },
  errors: ({ desk: { platform }, field }) => {
    platform.faults.failFor('*', { status: 503 }, amount(field('seconds')) * 1_000)
    return `Every request returns 503 for ${field('seconds')} s.`
  },
  outage: ({ desk: { platform, gateway }, field }) => {
    const ms = amount(field('seconds')) * 1_000
    platform.faults.failFor('*', { reset: true }, ms)
    gateway.refuse(ms)
    gateway.dropAll()
    return `Every connection is cut for ${field('seconds')} s.`
  },
  'gateway-drop': ({ desk: { gateway } }) => {
    gateway.dropAll()
    return 'Gateway connections dropped.'
  },
  'gateway-freeze': ({ desk: { gateway } }) => {
    gateway.freeze()
    return 'Gateway connections stay open without responses.'
  },
  'gateway-thaw': ({ desk: { gateway } }) => {
    gateway.thaw()
    return 'Gateway connections respond again.'
  },
  'gateway-reconnect': ({ desk: { gateway } }) => {
    gateway.reconnect()
    return 'Clients were asked to reconnect.'
  },
  'gateway-invalid': ({ desk: { gateway } }) => {
    gateway.invalidSession(false)
    return 'Gateway sessions ended.'
  },
  'toggle-intent': ({ desk: { platform, gateway } }) => {
    gateway.setMemberIntent(!platform.world.application.memberIntent)
    return `The member intent is ${platform.world.application.memberIntent ? 'on' : 'off'}. It applies from the next connection.`
  },
  clear: ({ desk: { platform, gateway } }) => {
    platform.faults.clearFaults()
    gateway.refuse(0)
    gateway.thaw()
    return 'All faults ended.'
  },
  reset: async ({ desk }) => {
    await desk.reset()
    return 'The initial state is restored.'
  },
}

function chosen({ user }: View): SimUser {
  if (!user) throw new Error('Choose a person first.')
  return user
}

function required(text: string): string {
  if (text === '') throw new Error('Enter a name.')
  return text
}

function amount(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new Error('Enter a whole number.')
  return Number(text)
}

function color(text: string): number {
  if (!/^#[0-9a-f]{6}$/i.test(text)) throw new Error('Choose a color.')
  return Number.parseInt(text.slice(1), 16)
}
