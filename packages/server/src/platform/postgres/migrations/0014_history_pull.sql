-- Where the provider has no record of events, the history of all accounts is read, newest first: how far back the looks that
-- are over have read it, and how far the running one has got. Written so that a second run changes nothing.

alter table event_pull add column if not exists history_covered_to timestamptz(3); -- steps made before were read; null: none
alter table event_pull add column if not exists history_newest_at timestamptz(3);  -- of the running look: its newest step
alter table event_pull add column if not exists history_read_id text;              -- of the running look: the last step it read
