-- The last attempt of a delivery stands with the delivery: most have one attempt, and one row less for each is a third of
-- what settling costs. Those before it, and all of deliveries that ended before this, are in delivery_attempts. Null where
-- the last attempt was not what ended it. Written so that a second run changes nothing.

alter table finished_deliveries add column if not exists http_status integer;
alter table finished_deliveries add column if not exists response_body text;
alter table finished_deliveries add column if not exists detail text;
alter table finished_deliveries add column if not exists duration_ms integer;
alter table finished_deliveries add column if not exists started_at timestamptz(3);
