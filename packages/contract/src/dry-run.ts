import { type Static, Type } from 'typebox'
import { Closed } from './formats.ts'

/** The effects of a change, counted by making it and rolling it back. */
export const DryRun = Type.Object(
  {
    dryRun: Type.Literal(true),
    sessionsEnded: Type.Integer({
      description:
        'Sessions that are valid now and would end. Other fields count the effects on OpenID Connect and on ' +
        'protected hosts.',
    }),
    membersAffected: Type.Integer({ description: 'Members who would lose at least one of these sessions.' }),
    clientSessionsEnded: Type.Integer({
      description:
        'OpenID Connect sessions whose tokens are valid now and would become invalid. Some can also be counted ' +
        'in `sessionsEnded`.',
    }),
    clientSessionsTold: Type.Integer({
      description: 'Ended sessions for which a logout token would be sent to `backchannelLogoutUri`.',
    }),
    hostsEnded: Type.Integer({
      description:
        'Protected hosts that would accept no members, or the members of another server than now. Members who ' +
        'would lose a role of `anyOf` are not counted.',
    }),
    keysEnded: Type.Integer({ description: 'API keys that are valid now and would stop working.' }),
    submissionsDeleted: Type.Integer({
      description: 'Submissions to inbound webhooks that would be deleted.',
    }),
  },
  {
    description:
      'The response with `dryRun=true`: the effects that the same request would have. Nothing is changed.',
  },
)

/** The query `?dryRun=true` of a change: it is refused like the change, and otherwise reported instead of made. */
export const ChangeQuery = Closed({
  dryRun: Type.Optional(
    Type.Boolean({ default: false, description: 'Returns the effects of the change without making it.' }),
  ),
})

export type DryRun = Static<typeof DryRun>
