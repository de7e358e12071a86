-- Whether a caller was told of its account, and under which Idempotency-Key it was asked for: a repeat of a request whose
-- answer was lost is handed the account that the first one began. Written so that a second run changes nothing.

alter table virtual_accounts add column if not exists answered boolean not null default true;
alter table virtual_accounts add column if not exists request_key text;
create index if not exists virtual_accounts_unanswered on virtual_accounts (business_id, end_user_id) where not answered;
