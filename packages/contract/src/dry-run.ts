import { type Static, Type } from 'typebox'
import { Closed } from './formats.ts'

/** The effects of a change, counted by making it and rolling it back. */
export const DryRun = Type.Object(
  {
    dryRun: Type.Literal(true),
    sessionsEnded: Type.Integer({
      description:
        'Sessions that validate now, and would not any more. What only OpenID Connect or a protected host loses is counted below.',
    }),
    membersAffected: Type.Integer({ description: 'Members who would lose at least one of these sessions.' }),
    clientSessionsEnded: Type.Integer({
      description:
        'Sessions of OpenID Connect with tokens that are valid now, and would not be any more, even if they are among `sessionsEnded`.',
    }),
    clientSessionsTold: Type.Integer({
      description: 'Ended sessions that `backchannelLogoutUri` would be notified about.',
    }),
    hostsEnded: Type.Integer({
      description:
        'Protected hosts that let in members of a server now, and would let in no member, or members of another server. ' +
        'Members who would lack a role of `anyOf` are not counted.',
    }),
    keysEnded: Type.Integer({ description: 'API keys that work now, and would not any more.' }),
    submissionsDeleted: Type.Integer({
      description: 'Submissions to inbound webhooks that would be deleted.',
    }),
  },
  { description: 'With `dryRun=true`: what the same request would do. Nothing is changed.' },
)

/** The query `?dryRun=true` of a change: it is refused like the change, and otherwise reported instead of made. */
export const ChangeQuery = Closed({
  dryRun: Type.Optional(
    Type.Boolean({ default: false, description: 'Tells what the change would do, and does not make it.' }),
  ),
})

export type DryRun = Static<typeof DryRun>
