-- Events that wait for a provider id to become known: that of their owner, or of the account they are about. Only what was
-- tried once and held back is in this index, so that it costs the ordinary event nothing.
create index if not exists events_held on events using gin (provider_refs) where apply_state = 'pending' and apply_error is not null;
drop index if exists events_unrouted;
