-- The relay for growth: what waits stands in small tables, what is done in partitions of time that retention drops whole.
-- Event ids carry their time of birth, so a partition is a range of ids, an id alone finds its partition, and an index
-- grows at its end. A delivery's id is its event's with the end of the endpoint's: one index answers both questions.
-- An endpoint's lane, not each delivery, is leased to a replica: sending writes nothing until there is an outcome.
-- Written so that a second run changes nothing.

do $$
begin
  if (select relkind from pg_class where oid = to_regclass('events')) = 'r' then
    alter table events rename to events_before;
    alter table deliveries rename to deliveries_before;
    alter table delivery_attempts rename to delivery_attempts_before;
    alter index events_pkey rename to events_before_pkey;
    alter index deliveries_pkey rename to deliveries_before_pkey;
    alter index delivery_attempts_pkey rename to delivery_attempts_before_pkey;
    drop index events_provider, events_page, events_waiting, events_held, deliveries_once, deliveries_sequence,
      deliveries_due, deliveries_lane;
  end if;
end $$;

create table if not exists events (
  id                   text collate "C" primary key,
  business_id          text,                                 -- null until the owner is known
  end_user_id          text,
  virtual_account_id   text,
  external_user_id     text,
  position             bigint,                               -- its place among the business's events, gapless; null without an owner
  provider_event_id    text,                                 -- null for events of our own
  trust                text not null check (trust in ('verified', 'unverified', 'own')),
  type                 text not null,
  body                 bytea not null,                       -- the exact bytes that are forwarded
  created_at           timestamptz(3) not null default now()
) partition by range (id);
create table if not exists events_default partition of events default;
create index if not exists events_stream on events (business_id, position) where business_id is not null;

-- What was received, by provider id and level of trust: a forged event can not suppress the real one. Kept longer than the
-- provider repeats anything. The BRIN index costs nothing to write and finds the old end for the sweep.
create table if not exists received_events (
  key        text collate "C" primary key,
  event_id   text collate "C" not null
);
create index if not exists received_events_age on received_events using brin (event_id);

-- Events that still have to do something to our state, or whose owner is not known. Finished work leaves.
create table if not exists event_work (
  event_id        text collate "C" primary key,
  provider_refs   text[] not null default '{}',              -- ids by which an owner can be found
  state           text not null default 'pending' check (state in ('pending', 'quarantined')),
  attempts        integer not null default 0,
  error           text,
  due_at          timestamptz(3) not null default now()
);
create index if not exists event_work_due on event_work (due_at, event_id) where state = 'pending';
-- Only what was tried once and held back is in this index, so that it costs the ordinary event nothing.
create index if not exists event_work_held on event_work using gin (provider_refs) where state = 'pending' and error is not null;

-- The last place given out in a business's stream of events.
create table if not exists event_streams (
  business_id   text primary key,
  position      bigint not null default 0
) with (fillfactor = 50);

-- One row an endpoint: its sequence, and which replica sends to it now.
create table if not exists endpoint_lanes (
  endpoint_id     text primary key,
  business_id     text not null,
  sequence        bigint not null default 0,                 -- the last one given out; gapless
  open            boolean not null default true,             -- false while the endpoint is paused or disabled
  wants_at        timestamptz(3),                            -- when somebody should look; null when nothing waits
  owner           text,
  fence           bigint not null default 0,                 -- counts the holders
  failures        integer not null default 0,                -- in a row
  failing_since   timestamptz(3)
) with (fillfactor = 50);
create index if not exists endpoint_lanes_wanting on endpoint_lanes (wants_at) where wants_at is not null;

-- Replicas that hold lanes, and until when.
create table if not exists relay_owners (
  id            text primary key,
  lease_until   timestamptz(3) not null
);

do $$
begin
  if to_regclass('deliveries_before') is not null and to_regclass('deliveries') is null then
    create table deliveries (
      endpoint_id       text not null,
      sequence          bigint not null,
      id                text collate "C" not null,
      business_id       text not null,
      event_id          text collate "C" not null,
      end_user_id       text,                                -- within whom order counts
      ordered           boolean not null,                    -- the endpoint's ordering is per_end_user
      attempts          integer not null default 0,
      attempts_before   integer not null default 0,          -- those of earlier runs: a repeat on demand begins the schedule anew
      next_attempt_at   timestamptz(3),                      -- null: never tried, its turn comes with the sequence
      last_outcome      text,
      created_at        timestamptz(3) not null default now(),
      primary key (endpoint_id, sequence)
    );
    create unique index deliveries_id on deliveries (id);
    create index deliveries_retry on deliveries (endpoint_id, next_attempt_at) where next_attempt_at is not null;
    create index deliveries_ordered on deliveries (endpoint_id, end_user_id, sequence) where ordered;

    create table finished_deliveries (
      id                text collate "C" primary key,
      endpoint_id       text not null,
      sequence          bigint not null,
      business_id       text not null,
      event_id          text collate "C" not null,
      end_user_id       text,
      status            text not null check (status in ('delivered', 'exhausted', 'cancelled')),
      attempts          integer not null,
      last_outcome      text,
      created_at        timestamptz(3) not null,
      finished_at       timestamptz(3) not null default now()
    ) partition by range (id);
    create table finished_deliveries_default partition of finished_deliveries default;

    create table delivery_attempts (
      delivery_id     text collate "C" not null,
      attempt         integer not null,
      business_id     text not null,
      outcome         text not null,
      http_status     integer,
      response_body   text,
      detail          text,
      duration_ms     integer not null,
      started_at      timestamptz(3) not null,
      primary key (delivery_id, attempt)
    ) partition by range (delivery_id);
    create table delivery_attempts_default partition of delivery_attempts default;

    insert into events (id, business_id, end_user_id, virtual_account_id, external_user_id, position, provider_event_id, trust,
      type, body, created_at)
    select id, business_id, end_user_id, virtual_account_id, external_user_id,
      case when business_id is not null then row_number() over (partition by business_id order by position) end,
      provider_event_id, trust, type, body, created_at
    from events_before;
    insert into event_streams (business_id, position)
    select b.id, (select count(*) from events e where e.business_id = b.id) from businesses b;
    insert into received_events (key, event_id)
    select trust || ':' || provider_event_id, id from events_before where provider_event_id is not null;
    insert into event_work (event_id, provider_refs, state, attempts, error, due_at)
    select id, provider_refs, apply_state, apply_attempts, apply_error, due_at from events_before
    where apply_state in ('pending', 'quarantined');
    insert into endpoint_lanes (endpoint_id, business_id, sequence, open, wants_at)
    select id, business_id, sequence, status = 'enabled', case when status = 'enabled' then now() end from webhook_endpoints;
    insert into deliveries (endpoint_id, sequence, id, business_id, event_id, end_user_id, ordered, attempts, next_attempt_at,
      last_outcome, created_at)
    select d.endpoint_id, d.sequence, 'dlv_' || substr(d.event_id, 5) || right(d.endpoint_id, 6), d.business_id, d.event_id,
      nullif(d.lane, ''), e.ordering = 'per_end_user', d.attempts, case when d.attempts > 0 then d.next_attempt_at end,
      d.last_outcome, d.created_at
    from deliveries_before d join webhook_endpoints e on e.business_id = d.business_id and e.id = d.endpoint_id
    where d.status = 'pending';
    insert into finished_deliveries (id, endpoint_id, sequence, business_id, event_id, end_user_id, status, attempts,
      last_outcome, created_at, finished_at)
    select 'dlv_' || substr(event_id, 5) || right(endpoint_id, 6), endpoint_id, sequence, business_id, event_id,
      nullif(lane, ''), status, attempts, last_outcome, created_at, coalesce(finished_at, created_at)
    from deliveries_before where status <> 'pending';
    insert into delivery_attempts (delivery_id, attempt, business_id, outcome, http_status, response_body, detail, duration_ms,
      started_at)
    select 'dlv_' || substr(d.event_id, 5) || right(d.endpoint_id, 6), a.attempt, a.business_id, a.outcome, a.http_status,
      a.response_body, a.detail, a.duration_ms, a.started_at
    from delivery_attempts_before a join deliveries_before d on d.business_id = a.business_id and d.id = a.delivery_id;

    drop table delivery_attempts_before, deliveries_before, events_before;
    alter table webhook_endpoints drop column sequence;
  end if;
end $$;

-- Counts the changes that a holder of the lane must hear of.
alter table webhook_endpoints add column if not exists version integer not null default 1;
-- Delivery ids end in it.
create unique index if not exists webhook_endpoints_ending on webhook_endpoints (business_id, right(id, 6));
