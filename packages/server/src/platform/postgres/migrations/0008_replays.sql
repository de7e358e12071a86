-- Replays: a range of a business's events sent to one endpoint again, in the background. Written so that a second run
-- changes nothing.

create table if not exists replays (
  business_id     text not null references businesses (id),
  id              text not null,
  endpoint_id     text not null,
  range_from      timestamptz(3) not null,
  range_to        timestamptz(3) not null,
  event_types     text[] not null,
  wanted          text not null,
  state           text not null default 'running' check (state in ('running', 'done', 'cancelled', 'failed')),
  first_position  bigint not null,                   -- the stream from behind here
  last_position   bigint not null,                   -- up to here, as it was when the replay was asked for
  position        bigint not null,                   -- has been looked through up to here: where it goes on
  matched         bigint not null default 0,
  queued          bigint not null default 0,
  skipped         bigint not null default 0,
  failures        integer not null default 0,        -- steps in a row that went wrong
  error           text,
  due_at          timestamptz(3) not null default now(),
  queued_until    timestamptz(3) not null default now(),   -- when the last one that it has queued is due: the next come after
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),   -- when it last came further
  ended_at        timestamptz(3),
  primary key (business_id, id)
);
create index if not exists replays_due on replays (due_at) where state = 'running';
create unique index if not exists replays_running on replays (endpoint_id) where state = 'running';
create index if not exists replays_page on replays (business_id, endpoint_id, created_at desc, id desc);

-- Which replay a waiting delivery belongs to, so that only so many of them wait at once. Others pay nothing for it.
alter table deliveries add column if not exists replay_id text;
create index if not exists deliveries_replay on deliveries (replay_id) where replay_id is not null;
