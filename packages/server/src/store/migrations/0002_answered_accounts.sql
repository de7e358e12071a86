-- Whether a caller was told of its account. A repeat of a request whose answer was lost is handed the account it began.
-- Written so that a second run changes nothing.

alter table virtual_accounts add column if not exists answered boolean not null default true;
create index if not exists virtual_accounts_unanswered on virtual_accounts (business_id, end_user_id) where not answered;
