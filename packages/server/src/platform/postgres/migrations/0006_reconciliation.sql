-- Reconciliation with the provider: how far its record of events was taken in and which numbers came, and how far the walk
-- has got that reads everything again. One row each. Written so that a second run changes nothing.

create table if not exists event_pull (
  id                 boolean primary key default true check (id),
  begins_at          timestamptz(3) not null,               -- events made before are nobody's here
  cursor_event_id    text,                                  -- all up to this one are taken in for good
  due_at             timestamptz(3) not null default now(),
  eager              boolean not null default true,         -- whether the next one takes in what was made just now
  failures           integer not null default 0,
  resent_at          timestamptz(3),
  -- of the pull that runs
  run                bigint not null default 0,             -- fencing token: raised by whoever takes the pull
  lease_until        timestamptz(3) not null default now(),
  began_at           timestamptz(3),                        -- null when none runs
  read_event_id      text,                                  -- the last that was read, young ones included
  missed             integer not null default 0,            -- taken in, although the webhook had its time
  fresh              integer not null default 0,            -- taken in at all
  covers_sequence    bigint,                                -- the last number that had come when it began
  -- numbers of events
  seen               jsonb not null default '[]',           -- ranges, ascending
  gap_after          bigint,                                -- the number before the lowest gap
  gap_due_at         timestamptz(3),
  gaps_in_vain       integer not null default 0
);
insert into event_pull (begins_at)
select coalesce(min(created_at), now()) - interval '1 hour' from businesses
on conflict do nothing;

create table if not exists reread_walk (
  id                  boolean primary key default true check (id),
  stage               text not null default 'end_users' check (stage in ('end_users', 'virtual_accounts')),
  after_business_id   text not null default '',
  after_id            text not null default '',
  due_at              timestamptz(3) not null default now(),   -- of the next step
  run                 bigint not null default 0,
  lease_until         timestamptz(3) not null default now(),
  failures            integer not null default 0,              -- steps in a row for which the provider was away
  requested_at        timestamptz(3),
  began_at            timestamptz(3),
  ended_at            timestamptz(3),
  covered_to          timestamptz(3)                           -- when the last complete walk began
);
insert into reread_walk default values on conflict do nothing;
