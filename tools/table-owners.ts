/**
 * Who writes what: each table has one owner, a layer or a feature, whose files alone insert and update. Rows of others are
 * read in joins; they are changed by calling their owner, or by a trigger of theirs. Housekeeping deletes what is old.
 */
export const owners: Readonly<Record<string, string>> = {
  access_trail: 'features/access',
  answer_leases: 'answers',
  api_keys: 'features/projects',
  audit_head: 'audit',
  audit_log: 'audit',
  auth_failures: 'features/monitoring',
  auth_requests: 'features/login',
  authorization_codes: 'features/login',
  gateway_servers: 'mirror',
  inbound_idempotency_keys: 'features/webhooks',
  inbound_signatures: 'features/webhooks',
  inbound_submission_counts: 'features/webhooks',
  inbound_submissions: 'features/webhooks',
  inbound_webhooks: 'features/webhooks',
  instances: 'features/monitoring',
  key_fingerprints: 'features/encryption-keys',
  live_mirror: 'mirror',
  member_activity: 'features/sessions',
  member_syncs: 'mirror',
  members: 'mirror',
  memberships: 'mirror',
  notification_queues: 'features/notifications',
  notifications: 'features/notifications',
  outbox: 'features/events',
  project_logouts: 'features/sessions',
  projects: 'features/projects',
  roles: 'mirror',
  server_access: 'features/access',
  servers: 'mirror',
  session_changes: 'answers',
  sessions: 'features/sessions',
  settings: 'features/settings',
  spent_sso: 'features/login',
  spent_tokens: 'features/sessions',
  sso_sessions: 'features/login',
  usage_minutes: 'features/monitoring',
}

/** Where a statement of somebody else writes a table too, and why it must be that statement. */
export const exceptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  api_keys: { 'features/monitoring': 'counts when keys were last used, many at a time' },
  auth_requests: { 'features/sessions': 'ends everything, logins under way too' },
  authorization_codes: {
    'features/sessions': 'redeems a code and makes its session in one statement, and voids codes',
  },
  notifications: { 'features/webhooks': 'writes the notifications of a submission in its statement' },
  projects: { 'features/notifications': 'removes an address that the platform says is gone' },
  sso_sessions: { 'features/sessions': 'ends the single sign-on of a member with their sessions' },
}
