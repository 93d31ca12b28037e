const byToken = 'finds the session by a token or an ID. The caller would have to pass the project on'
const everywhere = 'reads or changes sessions of a member, of a server, or of all members, in all projects'
const cleaning = 'deletes old rows of all projects, a thousand at a time'
const built = 'gets the condition on the project from its caller'
const shown = 'runs for pages of administrators and members, not for each page view of a site'

/**
 * The statements on sessions, used pairs, and codes that do not name the project by a value, each by its file and
 * declaration, with the reason. If sessions were partitioned by project, each of them would read every partition.
 */
export const withoutProject: Readonly<Record<string, string>> = {
  'session-memory/facts-store.ts readFacts':
    'compares the project of the key after it has found the session. The administration has no key, so it would read the partition without a project',
  'session-memory/access-tokens-store.ts accessTokensReader': byToken,
  'session-memory/callers-store.ts sessionCallersReader': byToken,
  'features/dry-run/store.ts countClientSessions': shown,
  'features/dry-run/store.ts countSessions': shown,
  'features/events/erasure-store.ts findProjectsThatKnew': everywhere,
  'features/housekeeping/store.ts authorization_codes': cleaning,
  'features/housekeeping/store.ts sessions': cleaning,
  'features/housekeeping/store.ts unredeemed_sessions': cleaning,
  'features/housekeeping/store.ts unused_codes': cleaning,
  'features/members/history-store.ts signIns': everywhere,
  'features/monitoring/read-store.ts countAll': shown,
  'features/oidc/clients-store.ts listLiveSites': everywhere,
  'features/oidc/records-store.ts recordsReader': byToken,
  'features/oidc/redemptions-store.ts redeemRecords': byToken,
  'features/personal-data/store.ts findPersonalData': everywhere,
  'features/sessions/client-sessions-store.ts endClientSession': byToken,
  'features/sessions/client-sessions-store.ts extendSteps': byToken,
  'features/sessions/end-store.ts deleteOpenCodes': everywhere,
  'features/sessions/end-store.ts hasActiveSignIns': everywhere,
  'features/sessions/end-store.ts revokeSessionsOfDeparted': everywhere,
  'features/sessions/end-store.ts revokeSessionsOfEverybody': everywhere,
  'features/sessions/end-store.ts revokeSessionsOfServer': everywhere,
  'features/sessions/erase-store.ts deleteCodes': everywhere,
  'features/sessions/erase-store.ts deleteSessions': everywhere,
  'features/sessions/own-sessions-store.ts countLiveSessions': everywhere,
  'features/sessions/own-sessions-store.ts endOwnSession': everywhere,
  'features/sessions/own-sessions-store.ts deleteSessionAddresses': cleaning,
  'features/sessions/own-sessions-store.ts listLiveSessions': everywhere,
  'features/sessions/own-sessions-store.ts revokeSessionsOfMember': everywhere,
  'features/sessions/own-sessions-store.ts invalidateAllCodes': everywhere,
  'features/sessions/project-sessions-store.ts stretchStatement': built,
  'features/sessions/store.ts findSpentPair':
    'finds a used pair by its digest. The table spent_tokens has no column for the project',
  'features/sessions/store.ts revokeByTokens':
    'compares the project of each logout. One statement contains many logouts',
  'features/sessions/store.ts revokeSessionById': byToken,
  'features/sessions/store.ts revokeSessionOfCode':
    'names the project of the code, and finds the session by the ID in the code',
  'features/sessions/store.ts rotatePairs': byToken,
}
