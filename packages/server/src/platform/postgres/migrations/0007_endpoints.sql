-- Several webhook endpoints a business. Written so that a second run changes nothing.

alter table webhook_endpoints add column if not exists description text;

-- The ordering stands here as well: who stores an event reads it under the lane's lock, so none is missed by a change.
alter table endpoint_lanes add column if not exists ordered boolean not null default false;
alter table endpoint_lanes add column if not exists resumed_at timestamptz(3);   -- from when on the holder begins gently
update endpoint_lanes l set ordered = true
from webhook_endpoints e where e.id = l.endpoint_id and e.ordering = 'per_end_user' and not l.ordered;

-- Endpoints that are gone, as long as something that waited for them is not yet moved to the history.
create table if not exists deleted_endpoints (
  endpoint_id   text primary key,
  deleted_at    timestamptz(3) not null default now()
);
