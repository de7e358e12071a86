-- Complete onboarding: who changed what (audit_log), changes of a destination that wait for their time, and the erasure of
-- end-users from events. Written so that a second run changes nothing.

create table if not exists audit_log (
  business_id  text not null references businesses (id),
  number       bigint not null,                              -- gapless within the business
  actor        text not null,                                -- an API key's id, `operator`, `provider`, or `causeway`
  action       text not null,
  subject_id   text not null,
  details      jsonb not null default '{}',                  -- no identity data
  created_at   timestamptz(3) not null default now(),
  primary key (business_id, number)
);

alter table virtual_accounts add column if not exists pending_destination jsonb;
alter table virtual_accounts add column if not exists pending_destination_actor text;
alter table virtual_accounts add column if not exists pending_destination_at timestamptz(3);
create index if not exists virtual_accounts_pending_destination on virtual_accounts (pending_destination_at)
  where pending_destination_at is not null;

-- End-users that are gone and whose events still hold what was known of them: up to `position` they are done.
create table if not exists erasures (
  business_id  text not null references businesses (id),
  end_user_id  text not null,
  position     bigint not null default 0,
  created_at   timestamptz(3) not null default now(),
  primary key (business_id, end_user_id)
);
