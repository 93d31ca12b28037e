-- The inbound webhooks of projects, their submissions, and the records with which a repeated submission is stored only
-- once.

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
  'The version of the limits that applied when the schema was accepted. At its start, the service reports schemas that the current limits would reject.';
comment on column inbound_webhooks.secret_sealed is 'The secret, encrypted for this row.';
comment on column inbound_webhooks.version is 'The number of changes. Instances cache one version of a webhook.';

create unique index inbound_webhooks_slug on inbound_webhooks (project_id, slug) where deleted_at is null;

-- The tables below have no foreign key to the webhook. It would lock the webhook with each submission, and the
-- statement that inserts a submission already reads that row.

create table inbound_submissions (
  id uuid primary key,
  webhook_id uuid not null,
  payload text not null,
  is_signed boolean not null,
  origin text,
  received_at timestamptz(3) not null
);
comment on table inbound_submissions is 'The submissions to inbound webhooks.';
comment on column inbound_submissions.payload is 'The JSON text as it was received and validated.';

create index inbound_submissions_newest on inbound_submissions (webhook_id, received_at desc, id desc);

create table inbound_signatures (
  expires_at timestamptz(3) not null,
  mac uuid not null,
  webhook_id uuid not null,
  primary key (expires_at, mac, webhook_id)
);
comment on table inbound_signatures is
  'Signatures that were used, so that none is accepted twice. A row is committed together with its submission. The key begins with the time, so new rows are next to each other in the index, however large the table is, and old ones are deleted in that order.';
comment on column inbound_signatures.expires_at is 'From this time on, the signature is too old to be accepted anyway.';
comment on column inbound_signatures.mac is
  'The first 128 bits of the HMAC-SHA-256, which are enough to tell signatures apart.';

create table inbound_idempotency_keys (
  webhook_id uuid not null,
  key text collate "C" not null,
  body_digest text not null,
  submission_id uuid not null,
  received_at timestamptz(3) not null,
  primary key (webhook_id, key)
);
comment on table inbound_idempotency_keys is
  'The idempotency keys of submissions. A repeated request with the same body gets the response of the first one.';

create index inbound_idempotency_keys_age on inbound_idempotency_keys (received_at);

create table inbound_submission_counts (
  webhook_id uuid not null,
  part smallint not null,
  count bigint not null,
  last_at timestamptz(3) not null,
  primary key (webhook_id, part)
) with (fillfactor = 50);
comment on table inbound_submission_counts is
  'The number of submissions per webhook. It is stored in several parts, so that simultaneous writers do not wait for each other.';
