-- What receivers answered to events about people: a receiver may repeat the event. Such an answer lies sealed as the event does,
-- and then `response_body` is null. Written so that a second run changes nothing.

alter table delivery_attempts add column if not exists response_sealed bytea;
alter table finished_deliveries add column if not exists response_sealed bytea;
