-- Holds inbound webhooks of projects, their submissions, and what makes each submission happen once.

create table inbound_webhooks (
  id uuid primary key,
  project_id uuid not null references projects,
  name text not null,
  slug text collate "C" not null,
  schema json not null,
  schema_limits smallint,
  accepted_origins text[] not null default '{}',
  allowed_role_ids text[] not null default '{}',
  require_signature boolean not null default false,
  secret_sealed bytea not null,
  secret_set_at timestamptz(3) not null default clock_now(),
  version integer not null default 1,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  deactivated_at timestamptz(3),
  deleted_at timestamptz(3)
);
comment on table inbound_webhooks is 'Addresses that receive submissions for a project.';
comment on column inbound_webhooks.schema_limits is
  'The version of the limits that the schema was accepted under. A start reports schemas that today''s limits would reject.';
comment on column inbound_webhooks.secret_sealed is 'The secret, sealed with the ID of the row.';
comment on column inbound_webhooks.version is
  'Counts changes. Instances cache a webhook for one version.';

create unique index inbound_webhooks_slug on inbound_webhooks (project_id, slug) where deleted_at is null;

-- The tables below have no foreign key to the webhook: it would lock the row with each submission, and the statement
-- that inserts a submission reads that row itself.

create table inbound_submissions (
  id uuid primary key,
  webhook_id uuid not null,
  payload text not null,
  is_signed boolean not null,
  origin text,
  received_at timestamptz(3) not null
);
comment on table inbound_submissions is 'Submissions of inbound webhooks.';
comment on column inbound_submissions.payload is 'The JSON text that was validated, unchanged.';

create index inbound_submissions_newest on inbound_submissions (webhook_id, received_at desc, id desc);

create table inbound_signatures (
  expires_at timestamptz(3) not null,
  mac uuid not null,
  webhook_id uuid not null,
  primary key (expires_at, mac, webhook_id)
);
comment on table inbound_signatures is
  'Signatures that were used. A row commits together with its submission. The signed time comes first in the key: new rows are neighbors in the index however large the table is, and housekeeping deletes along it.';
comment on column inbound_signatures.expires_at is 'The signature is too old to be accepted from then on.';
comment on column inbound_signatures.mac is 'The first 128 bits of the HMAC-SHA-256, which distinguish signatures.';

create table inbound_idempotency_keys (
  webhook_id uuid not null,
  key text collate "C" not null,
  body_digest text not null,
  submission_id uuid not null,
  received_at timestamptz(3) not null,
  primary key (webhook_id, key)
);
comment on table inbound_idempotency_keys is
  'Idempotency keys of submissions. A repeated request with the same body gets the first submission.';

create index inbound_idempotency_keys_age on inbound_idempotency_keys (received_at);

create table inbound_submission_counts (
  webhook_id uuid not null,
  part smallint not null,
  count bigint not null,
  last_at timestamptz(3) not null,
  primary key (webhook_id, part)
) with (fillfactor = 50);
comment on table inbound_submission_counts is
  'Counts submissions per webhook, in several parts, so that concurrent writers do not wait for each other.';
