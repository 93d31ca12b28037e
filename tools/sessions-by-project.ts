const byToken =
  'finds the session by a token or its id: the caller has the project, and would have to pass it on'
const everywhere = 'is about a member, a server or everybody, in all projects'
const cleaning = 'deletes by age, a thousand rows at a time, in all projects'
const built = 'names the project in a condition that is put in from elsewhere'
const shown = 'is asked by administrators and members themselves, not with each page view'

/**
 * The statements on sessions, used pairs, and codes that do not name the project by a value, each by its file and
 * declaration, with the reason. If sessions were partitioned by project, each of them would read every partition.
 */
export const withoutProject: Readonly<Record<string, string>> = {
  'session-memory/facts-store.ts readFacts':
    'compares the project of the key after the session is found; with the key’s project inside it would ask one part, without a key (administration) the part of no project',
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
    'finds a used pair by its digest: spent_tokens has no project, and would have to get one',
  'features/sessions/store.ts revokeByTokens':
    'compares the project of each logout, of which one statement contains many',
  'features/sessions/store.ts revokeSessionById': byToken,
  'features/sessions/store.ts revokeSessionOfCode':
    'names the project of the code, and finds the session by the id that the code has',
  'features/sessions/store.ts rotatePairs': byToken,
}
