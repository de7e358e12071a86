-- The second wall between businesses. What is done for one business is done as `causeway_business`, a role that owns nothing
-- and sees of each table only the rows of the business that its transaction names in `causeway.business_id`; where none
-- is named, no row. A forgotten `where business_id = …` finds nothing then, instead of somebody else's rows.
--
-- Applied when something of it is missing: after a migration, and after a restore, since roles do not come with a dump.
-- Tables are found in the catalogue, so that one which a later migration makes stands behind the wall by itself.

-- Whoever migrates owns the tables and does the work that crosses businesses: intake, relay, sweeps, operators.
create or replace function pg_temp.fence(fenced text, condition text) returns void language plpgsql as $$
begin
  execute format('alter table %I enable row level security, force row level security', fenced);
  execute format('drop policy if exists one_business on %I', fenced);
  execute format('create policy one_business on %I to causeway_business using (%s) with check (%2$s)', fenced, condition);
  execute format('drop policy if exists all_businesses on %I', fenced);
  execute format('create policy all_businesses on %I to current_user using (true) with check (true)', fenced);
end $$;

do $$
declare
  is_made boolean := to_regrole('causeway_business') is null;
begin
  if is_made then
    create role causeway_business nologin;
  end if;
  -- Who makes a role may give it away, but has it only when given it.
  if not (select rolsuper from pg_roles where rolname = current_user)
    and (is_made or not pg_has_role(current_user, 'causeway_business', 'member')) then
    execute format('grant causeway_business to %I', current_user);
  end if;
exception
  when duplicate_object or unique_violation then null; -- another database of this cluster was first
end $$;

do $$
declare
  fenced record;
begin
  execute format('grant usage on schema %I to causeway_business', current_schema());
  for fenced in
    select c.relname as name, case when c.relname = 'businesses' then 'id' else 'business_id' end as key
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and (c.relname = 'businesses' or exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'business_id' and not a.attisdropped))
  loop
    perform pg_temp.fence(fenced.name, format('%I = current_setting(''causeway.business_id'', true)', fenced.key));
    execute format('grant select, insert, update, delete on %I to causeway_business', fenced.name);
  end loop;
end $$;

-- Rows that belong to a business by way of another row.
select pg_temp.fence('endpoint_sequences', 'exists (select from endpoint_lanes l where l.endpoint_id = endpoint_sequences.endpoint_id)');
grant select, insert, update, delete on endpoint_sequences to causeway_business;
select pg_temp.fence('event_work', 'exists (select from events e where e.id = event_work.event_id)');
grant select, delete on event_work to causeway_business;
select pg_temp.fence('received_events', 'exists (select from events e where e.id = received_events.event_id)');
grant select on received_events to causeway_business;

-- Only an endpoint's id, kept until its backlog is cleared away.
grant select, insert, update, delete on deleted_endpoints to causeway_business;

-- What is the operator's, or stays as it was written. A row is locked with the right to update one of its columns.
revoke insert, update, delete on businesses from causeway_business;
grant update (created_at, email_conflicts, email_conflict_last_at) on businesses to causeway_business;
revoke update, delete on audit_log from causeway_business;
revoke delete on audit_heads from causeway_business;
revoke insert, update, delete on requests from causeway_business;
grant select on audit_keys to causeway_business;

-- Three questions that cross businesses, and answer no more than they must.
create or replace function is_held_by_another(own_end_user_id text, of_provider text, provider_ids text[]) returns boolean
language sql stable security definer as $$
  select exists (
    select from end_users
    where id <> own_end_user_id and provider = of_provider
      and (provider_customer_id = any(provider_ids) or provider_kyc_link->>'id' = any(provider_ids)))
$$;

create or replace function is_creation_open_elsewhere(own_end_user_id text, email_marks text[]) returns boolean
language sql stable security definer as $$
  select exists (
    select from operations
    where kind = 'customer.create' and subject_id <> own_end_user_id
      and (state in ('running', 'unknown') or error_code in ('superseded', 'never_seen'))
      and request->>'emailMark' = any(email_marks))
$$;

-- The fence: a try that asks for the owner began before, and may not put the event off by what it knows. A try for an owner
-- makes its own event due with the customer that it stores, and goes on to hold it.
create or replace function hurry_waiting_events(refs text[]) returns boolean
language sql security definer as $$
  with hurried as (
    update event_work w set due_at = date_trunc('milliseconds', clock_timestamp()),
      fence = fence + (select (business_id is null)::int from events where id = w.event_id)
    where provider_refs && refs and state = 'pending' and error is not null returning event_id)
  select exists (select from hurried)
$$;

do $$
declare
  crossing regprocedure;
begin
  foreach crossing in array array['is_held_by_another(text, text, text[])', 'is_creation_open_elsewhere(text, text[])',
      'hurry_waiting_events(text[])']::regprocedure[] loop
    execute format('alter function %s set search_path = %I, pg_temp', crossing, current_schema());
    execute format('revoke all on function %s from public', crossing);
    execute format('grant execute on function %s to causeway_business', crossing);
  end loop;
end $$;
