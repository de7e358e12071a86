-- What stays quick while a snapshot that is held for hours forbids removing the old versions of rows. Written so that a
-- second run changes nothing.

-- Counters that grow with every batch have their number in the key, and the newest is read from the index's end. A row found
-- by a key that never changes is looked for among all its versions: after 20,000 batches under a snapshot that took 10 ms.
alter table event_streams drop constraint if exists event_streams_pkey, add primary key (business_id, position);

create table if not exists endpoint_sequences (
  endpoint_id   text not null,
  sequence      bigint not null,                 -- the last one given out; gapless
  primary key (endpoint_id, sequence)
);
do $$
begin
  if exists (select from pg_attribute where attrelid = 'endpoint_lanes'::regclass and attname = 'sequence' and not attisdropped) then
    insert into endpoint_sequences (endpoint_id, sequence) select endpoint_id, sequence from endpoint_lanes;
    alter table endpoint_lanes drop column sequence;
  end if;
end $$;

-- Every delivery up to this one is tried or over: reading begins behind it, not among the remains of what is over.
alter table endpoint_lanes add column if not exists tried_to bigint not null default 0;

-- Small and busy: cleaned by how much has changed, not by how large they are.
alter table event_streams set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
alter table endpoint_sequences set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
alter table endpoint_lanes set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
alter table event_work set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000);
alter table deliveries set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000);

-- Events that were stored before ids carried their time count as received now: by their ids they would be forgotten at once,
-- or never.
do $$
declare
  now_ms bigint := extract(epoch from now()) * 1000;
  time_now text;
begin
  select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', ((now_ms >> (5 * digit)) & 31)::int + 1, 1), '' order by digit desc)
    into time_now from generate_series(0, 9) digit;
  update received_events set event_id = 'evt_' || time_now || substr(event_id, 15)
  where event_id < 'evt_01k' or event_id > 'evt_' || time_now || '~';
end $$;
