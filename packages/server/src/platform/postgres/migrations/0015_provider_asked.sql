-- When the provider was last asked about an end-user because an account was wanted: it is not asked for each request. Written
-- so that a second run changes nothing.

alter table end_users add column if not exists provider_asked_at timestamptz(3);

-- What the travel rule wants told with an account, kept until the account is open.
alter table virtual_accounts add column if not exists travel_rule_data jsonb;
