-- Inbound webhooks of projects, what was submitted to them, and the marks that let a submission happen once.

create table inbound_webhooks (
  id uuid primary key,
  project_id uuid not null references projects,
  name text not null,
  slug text collate "C" not null,
  schema json not null,
  -- Under which limits the schema was taken: those that were taken under others are told at start.
  schema_limits smallint,
  accepted_origins text[] not null default '{}',
  allowed_role_ids text[] not null default '{}',
  require_signature boolean not null default false,
  -- Sealed with this row's id.
  secret_sealed bytea not null,
  secret_set_at timestamptz(3) not null default clock_now(),
  -- Counts the changes: what an instance keeps of a webhook is good for one version.
  version integer not null default 1,
  created_at timestamptz(3) not null default clock_now(),
  updated_at timestamptz(3) not null default clock_now(),
  deactivated_at timestamptz(3),
  deleted_at timestamptz(3)
);

create unique index inbound_webhooks_slug on inbound_webhooks (project_id, slug) where deleted_at is null;

-- No foreign keys from here on: they would lock the webhook's row with each submission, and the statement
-- that inserts reads that row itself.

create table inbound_submissions (
  id uuid primary key,
  webhook_id uuid not null,
  -- JSON text of exactly what was validated.
  payload text not null,
  is_signed boolean not null,
  origin text,
  received_at timestamptz(3) not null
);

create index inbound_submissions_newest on inbound_submissions (webhook_id, received_at desc, id desc);

-- Signatures that were used. A mark commits with its submission, or not at all. A signature's time is part of what it
-- signs, so the same signature always has the same one: in the order of their time, those of one minute land together in
-- the index, whatever the table's size, and the key that lets a signature be used once is also the order in which marks
-- grow old.
create table inbound_signatures (
  -- From then on the signature is too old to be accepted again.
  expires_at timestamptz(3) not null,
  -- Half of a SHA-256 HMAC: 128 bits tell signatures apart.
  mac uuid not null,
  webhook_id uuid not null,
  primary key (expires_at, mac, webhook_id)
);

create table inbound_idempotency_keys (
  webhook_id uuid not null,
  key text collate "C" not null,
  body_digest text not null,
  submission_id uuid not null,
  received_at timestamptz(3) not null,
  primary key (webhook_id, key)
);

create index inbound_idempotency_keys_age on inbound_idempotency_keys (received_at);

-- Submissions by webhook, in as many parts as there may be writers at once: none waits for another's commit.
create table inbound_submission_counts (
  webhook_id uuid not null,
  part smallint not null,
  count bigint not null,
  last_at timestamptz(3) not null,
  primary key (webhook_id, part)
) with (fillfactor = 50);
