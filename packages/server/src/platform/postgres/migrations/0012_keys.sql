-- The audit log as a chain: every entry carries a code over itself and the entry before it, and each chain a signed head. And
-- which deployment secrets the stored values need. Written so that a second run changes nothing.

-- Acts of the operator that belong to no business have a chain of their own, under the name `deployment`.
alter table audit_log drop constraint if exists audit_log_business_id_fkey;
alter table audit_log add column if not exists request_id text;
alter table audit_log add column if not exists key_id integer;      -- null until the entry is part of its chain
alter table audit_log add column if not exists hash bytea;
create index if not exists audit_log_unchained on audit_log (business_id, number) where hash is null;

-- Keys of the chains, sealed under the deployment secret. A rotation of that begins a new one; the old ones stay, to verify.
create table if not exists audit_keys (
  id      integer primary key,
  sealed  bytea not null
);

create table if not exists audit_heads (
  business_id  text primary key,
  number       bigint not null,                                     -- of the last entry; 0 where there is none
  hash         bytea not null,                                      -- of the last entry
  key_id       integer not null,
  signature    bytea not null,
  updated_at   timestamptz(3) not null default now()
);

create or replace function audit_log_append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    -- What a version before the chain wrote is taken into it once; nothing that was said changes.
    if old.hash is null and new.hash is not null
      and (to_jsonb(new) - 'hash' - 'key_id') = (to_jsonb(old) - 'hash' - 'key_id') then return new; end if;
  end if;
  raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
end $$;
create or replace trigger audit_log_append_only before update or delete on audit_log
  for each row execute function audit_log_append_only();
create or replace trigger audit_log_no_truncate before truncate on audit_log
  for each statement execute function audit_log_append_only();

-- Deployment secrets that stored values may need, by a mark that tells nothing of the secret.
create table if not exists deployment_secrets (
  mark        text primary key,
  first_seen  timestamptz(3) not null default now(),
  retired_at  timestamptz(3)
);
-- Which of them a running server writes with; one that died is believed until `until`.
create table if not exists deployment_secret_writers (
  server  text primary key,
  mark    text not null,
  until   timestamptz(3) not null
);
-- Under which of them a key's digest was taken; null where an older version took it.
alter table api_keys add column if not exists secret_mark text;
