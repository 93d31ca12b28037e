import { type Static, Type } from 'typebox'
import { Closed } from './formats.ts'

/** The effects of a change. A dry run counts them by making the change and rolling it back. */
export const DryRun = Type.Object(
  {
    dryRun: Type.Literal(true),
    sessionsEnded: Type.Integer({
      description:
        'Sessions that are valid now and would end. Losses of OpenID Connect and protected hosts are counted below.',
    }),
    membersAffected: Type.Integer({ description: 'Members who would lose at least one of these sessions.' }),
    clientSessionsEnded: Type.Integer({
      description:
        'OpenID Connect sessions with tokens that are valid now and would become invalid, even if they are among `sessionsEnded`.',
    }),
    clientSessionsTold: Type.Integer({
      description: 'Ended sessions that `backchannelLogoutUri` would be notified about.',
    }),
    hostsEnded: Type.Integer({
      description:
        'Protected hosts that would accept no members, or members of another server than now. ' +
        'Members who would lose a role of `anyOf` are not counted.',
    }),
    keysEnded: Type.Integer({ description: 'API keys that are valid now and would stop working.' }),
    submissionsDeleted: Type.Integer({
      description: 'Submissions to inbound webhooks that would be deleted.',
    }),
  },
  { description: 'With `dryRun=true`: the effects of the same request. Nothing is changed.' },
)

/** The query of a change. With `?dryRun=true`, the response reports the effects, and nothing changes. */
export const ChangeQuery = Closed({
  dryRun: Type.Optional(
    Type.Boolean({ default: false, description: 'Returns the effects of the change without making it.' }),
  ),
})

export type DryRun = Static<typeof DryRun>
