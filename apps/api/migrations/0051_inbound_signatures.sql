-- Marks in the order of their time. Those of one minute land together in the index, whatever the table's size, and the
-- key that lets a signature be used once is also the order in which marks grow old. A signature's time is part of what
-- it signs, so the same signature always has the same one. Half of a SHA-256 HMAC, 128 bits, tells signatures apart.

create table inbound_signature_marks (
  -- From then on the signature is too old to be accepted again.
  expires_at timestamptz(3) not null,
  mac uuid not null,
  webhook_id uuid not null,
  primary key (expires_at, mac, webhook_id)
);

insert into inbound_signature_marks (expires_at, mac, webhook_id)
select expires_at, encode(substring(decode(translate(mac, '-_', '+/') || '=', 'base64') from 1 for 16), 'hex')::uuid,
  webhook_id
from inbound_signatures;

drop table inbound_signatures;

alter table inbound_signature_marks rename to inbound_signatures;
alter index inbound_signature_marks_pkey rename to inbound_signatures_pkey;
