-- The schema. Ids are ours and prefixed; every table of a business has business_id first in its key, ready to be distributed
-- by it. Tables of history (requests, events, finished_deliveries, delivery_attempts) are partitioned by week: ids of
-- requests, events and deliveries carry their time, so an id alone finds its partition and an index grows at its end.
-- A second run changes nothing.

-- Customers of the operator -----------------------------------------------------------------------------------------------

create table if not exists businesses (
  id          text primary key,
  name        text not null,
  search_name text not null,  -- in the case that the server folds
  status      text not null default 'active' check (status in ('active', 'suspended')),
  -- Refusals of an email address that another business's customer has, and the last of them: many are guesses.
  email_conflicts         integer not null default 0,
  email_conflict_last_at  timestamptz(3),
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now()
);
create index if not exists businesses_page on businesses (created_at desc, id desc);
create index if not exists businesses_in_state on businesses (status, created_at, id);

create table if not exists api_keys (
  business_id   text not null references businesses (id),
  id            text not null,
  name          text not null,
  digest        bytea not null,          -- HMAC-SHA256 of the key under a deployment secret
  last_four     text not null,
  scopes        text[] not null,
  created_at    timestamptz(3) not null default now(),
  expires_at    timestamptz(3),
  last_used_at  timestamptz(3),
  revoked_at    timestamptz(3),
  created_by    text not null default 'operator',   -- or the API key or staff member that issued it
  secret_key_id text,                    -- which deployment secret the digest was taken under
  ancestors     text[] not null default '{}',        -- the API keys and console links that led to this key
  primary key (business_id, id)
);
create unique index if not exists api_keys_digest on api_keys (digest);
create index if not exists api_keys_page on api_keys (business_id, created_at desc, id desc);

-- One-time links into the console. A link, and the sessions that it opens, end with the key that made it.
create table if not exists console_links (
  business_id   text not null,
  id            text not null,
  key_id        text not null,
  digest        bytea not null,          -- HMAC-SHA256 of the code under a deployment secret
  scopes        text[] not null,
  created_at    timestamptz(3) not null default now(),
  expires_at    timestamptz(3) not null,
  used_at       timestamptz(3),
  revoked_at    timestamptz(3),
  ancestors     text[] not null default '{}',        -- as those of an API key
  primary key (business_id, id),
  foreign key (business_id, key_id) references api_keys (business_id, id)
);
create unique index if not exists console_links_digest on console_links (digest);
create index if not exists console_links_page on console_links (business_id, created_at desc, id desc);
create index if not exists console_links_expiry on console_links (expires_at);

-- Staff who have signed in with OpenID Connect, as their issuer named them; the operator's have the business_id 'deployment'.
create table if not exists staff (
  business_id   text not null,
  id            text not null,
  issuer        text not null,
  subject       text not null,
  name          text,
  email         text,
  created_at    timestamptz(3) not null default now(),
  last_seen_at  timestamptz(3) not null default now(),
  primary key (business_id, id),
  unique (business_id, issuer, subject)
);
create index if not exists staff_page on staff (business_id, created_at desc, id desc);

-- Sessions of the console: of a business by a key, of a staff member, or of the operator by the secret, with neither. The
-- operator's business_id is 'deployment'. A session that has ended is deleted.
create table if not exists console_sessions (
  business_id   text not null,
  id            text not null,
  key_id        text,
  link_id       text,
  digest        bytea not null,          -- HMAC-SHA256 of the token under a deployment secret
  scopes        text[] not null,
  created_at    timestamptz(3) not null default now(),
  idle_until    timestamptz(3) not null, -- moved on by use, never beyond expires_at
  expires_at    timestamptz(3) not null,
  -- Of a staff member:
  staff_id      text,
  roles         text[],
  issuer_session text,                   -- the issuer's `sid`, for back-channel logout
  signed_in_at  timestamptz(3),          -- at the issuer: `auth_time`
  refresh_token bytea,                   -- sealed
  check_at      timestamptz(3),          -- when the roles are next read from the issuer; moved on by the server that reads them
  checked_until timestamptz(3),          -- the session ends here unless the roles were read again
  primary key (business_id, id),
  foreign key (business_id, key_id) references api_keys (business_id, id),
  foreign key (business_id, staff_id) references staff (business_id, id),
  check ((staff_id is null) = (checked_until is null))
);
create index if not exists console_sessions_staff on console_sessions (business_id, staff_id) where staff_id is not null;
create index if not exists console_sessions_check on console_sessions (check_at) where refresh_token is not null;
create unique index if not exists console_sessions_digest on console_sessions (digest);
create index if not exists console_sessions_idle on console_sessions (idle_until);
create index if not exists console_sessions_link on console_sessions (business_id, link_id) where link_id is not null;

-- Answers to requests that carried an Idempotency-Key.
create table if not exists idempotency_keys (
  business_id   text not null references businesses (id),
  operation     text not null,                                -- method, route and path
  key           text not null,
  fingerprint   bytea not null,                               -- HMAC of the canonical body
  status        integer,                                      -- null while the request runs
  response      bytea,                                        -- sealed: answers may carry a new key or secret
  fence         bigint not null,                              -- drawn by the request that holds the key
  subject_id    text,                                         -- what the request has begun: a repeat continues with it
  lease_until   timestamptz(3) not null,
  expires_at    timestamptz(3) not null,
  created_at    timestamptz(3) not null default now(),
  primary key (business_id, operation, key)
);
create index if not exists idempotency_keys_expiry on idempotency_keys (expires_at);

-- Requests that keys of businesses made. Most succeed and carry an id of ours: they cost one entry in one index.
create table if not exists requests (
  id            text collate "C" not null,
  business_id   text not null,
  request_id    text,                                         -- the caller's own, which need not be unique
  credential_id text not null,                                -- an API key, or a staff member
  session_id    text,                                         -- of the console, where a session sent the request
  method        text not null,
  path          text not null,                                -- the pattern of the route: a path may name a person
  object_id     text,                                         -- an ID of ours: what the path names, or what was created
  end_user_id   text,                                         -- whom the path names, by our ID: the caller's own may name a person
  status        smallint not null,
  error_code    text,
  duration_ms   real not null,
  is_replay     boolean not null,                             -- the answer of an earlier request with the same Idempotency-Key
  primary key (business_id, id)
) partition by range (id);
create table if not exists requests_default partition of requests default;
create index if not exists requests_refused on requests (business_id, id) where status >= 400;
create index if not exists requests_named on requests (business_id, request_id) where request_id is not null;

-- End-users ---------------------------------------------------------------------------------------------------------------

create table if not exists end_users (
  business_id           text not null references businesses (id),
  id                    text not null,
  external_user_id      text not null,
  provider              text not null,   -- the kind of provider whose ids the row has, as in the other tables
  email                 text,
  type                  text not null check (type in ('individual', 'business')),
  -- For the search, in the order of bytes: a prefix is a range. The server folds the case: `lower` depends on the locale of the
  -- database, and knows only ASCII in the locale C.
  search_name           text collate "C" not null,
  search_email          text collate "C",
  metadata              jsonb not null default '{}',
  kyc_status            text not null default 'not_started',
  provider_status       text,
  pause_reason          text check (pause_reason in ('review', 'deposits_restricted')),
  tos_status            text not null default 'pending',
  signed_agreement_id   text,
  rails                 jsonb not null default '{}',
  requirements          jsonb not null
    default '{"currentlyDue":[],"pendingReview":[],"errors":[],"associatedPersons":[],"future":[]}',
  rejection_reasons     jsonb not null default '[]',
  provider_customer_id  text,
  provider_kyc_link     jsonb,
  provider_updated_at   timestamptz(3),  -- the provider's own time of the answer this row stands on: an older answer changes nothing
  provider_asked_at     timestamptz(3),  -- when an account was last the reason to ask the provider: not each request asks
  accounts_due_at       timestamptz(3),  -- a verdict that accounts have yet to follow: when the resume loop takes that over
  stream_from           bigint not null default 0,  -- every event of the end-user is behind this position of the stream
  information_requests  jsonb not null default '[]',   -- the open rows of information_requests, as the API shows them
  -- Of the addresses in the KYC submissions: whether the residence or registration, and the place of operation, are in the EEA.
  resides_in_eea        boolean,
  operates_in_eea       boolean,
  created_at            timestamptz(3) not null default now(),
  updated_at            timestamptz(3) not null default now(),
  primary key (business_id, id)
);
create unique index if not exists end_users_external on end_users (business_id, external_user_id);
create index if not exists end_users_named on end_users (business_id, search_name, id);
create index if not exists end_users_mailed on end_users (business_id, search_email, id) where search_email is not null;
create index if not exists end_users_page on end_users (business_id, created_at desc, id desc);
create index if not exists end_users_in_state on end_users (business_id, kyc_status, created_at, id);
-- Events name the provider's customer and nothing else: by these their owner is found, across businesses.
-- Rows without such an id are in the index too: by its ends a start finds rows of another provider.
create unique index if not exists end_users_provider on end_users (provider, provider_customer_id);
create unique index if not exists end_users_kyc_link on end_users (provider, (provider_kyc_link->>'id'))
  where provider_kyc_link is not null;
create unique index if not exists end_users_id on end_users (id);
create index if not exists end_users_by_external on end_users (external_user_id);
create index if not exists end_users_accounts_due on end_users (accounts_due_at) where accounts_due_at is not null;

-- Which end-user a signed agreement of the provider counts for: one across all businesses. The row outlives the erasure of its
-- end-user, without naming the end-user: a used agreement stays used.
create table if not exists signed_agreements (
  business_id   text not null references businesses (id),
  digest        bytea not null,          -- SHA-256 of the agreement's id
  end_user_id   text,                    -- null: erased
  created_at    timestamptz(3) not null default now(),
  primary key (business_id, digest)
);
create unique index if not exists signed_agreements_digest on signed_agreements (digest);
create index if not exists signed_agreements_of_user on signed_agreements (business_id, end_user_id);

create table if not exists tos_links (
  business_id   text not null,
  id            text not null,
  end_user_id   text not null,
  provider_url  text not null,           -- sealed
  redirect_uri  text,
  status        text not null default 'pending' check (status in ('pending', 'approved', 'expired')),
  created_at    timestamptz(3) not null default now(),
  expires_at    timestamptz(3) not null,
  primary key (business_id, id),
  foreign key (business_id, end_user_id) references end_users (business_id, id) on delete cascade
);
create index if not exists tos_links_of_user on tos_links (business_id, end_user_id, created_at desc);

-- Links by which an end-user onboards on our page: of each end-user one is open at most. The page that was opened last has the
-- session. Nothing that the end-user types is here.
create table if not exists onboarding_links (
  business_id     text not null,
  id              text not null,
  end_user_id     text not null,
  created_by      text not null,         -- an API key, or a staff member
  digest          bytea not null,        -- HMAC-SHA256 of the code under a deployment secret
  rails           text[] not null,
  locale          text,                  -- null: that of the browser
  redirect_uri    text,
  created_at      timestamptz(3) not null default now(),
  expires_at      timestamptz(3) not null,
  opened_at       timestamptz(3),        -- for the first time
  openings        integer not null default 0,
  session_digest  bytea,
  session_until   timestamptz(3),        -- moved on by use
  completed_at    timestamptz(3),
  abandoned_at    timestamptz(3),
  revoked_at      timestamptz(3),        -- also when a newer link took its place
  is_expiry_noted boolean not null default false,   -- its time is over, and it is left to the provider's verdict
  ancestors       text[] not null default '{}',     -- as those of an API key
  primary key (business_id, id),
  foreign key (business_id, end_user_id) references end_users (business_id, id) on delete cascade
);
create unique index if not exists onboarding_links_digest on onboarding_links (digest);
create unique index if not exists onboarding_links_session on onboarding_links (session_digest) where session_digest is not null;
create index if not exists onboarding_links_page on onboarding_links (business_id, end_user_id, created_at desc, id desc);
create index if not exists onboarding_links_newest on onboarding_links (business_id, created_at desc, id desc);
create unique index if not exists onboarding_links_open on onboarding_links (business_id, end_user_id)
  where completed_at is null and abandoned_at is null and revoked_at is null;
create index if not exists onboarding_links_expiry on onboarding_links (expires_at)
  where completed_at is null and abandoned_at is null and revoked_at is null and not is_expiry_noted;

-- How the pages that a business's end-users see look, and which sites may frame them.
create table if not exists brandings (
  business_id    text primary key references businesses (id),
  name           text,
  logo           text,                   -- a data: URI
  colors         jsonb,
  support_email  text,
  privacy_url    text,
  embed_origins  text[] not null default '{}',
  updated_at     timestamptz(3) not null default now()
);

-- Where the staff of a business signs in to the console: an issuer of OpenID Connect.
create table if not exists sign_in_issuers (
  business_id           text primary key references businesses (id),
  issuer                text not null,          -- as its metadata spells it
  client_id             text not null,
  client_secret_sealed  bytea,                  -- null: a public client
  roles                 jsonb not null,         -- the claim, and the role for each of its values
  scope                 text not null,
  created_at            timestamptz(3) not null default now(),
  updated_at            timestamptz(3) not null default now()
);

-- Erased end-users whose events still hold personal data: the events up to `position` are done.
create table if not exists erasures (
  business_id  text not null references businesses (id),
  end_user_id  text not null,
  position     bigint not null default 0,
  created_at   timestamptz(3) not null default now(),
  primary key (business_id, end_user_id)
);

-- Virtual accounts and deposits -------------------------------------------------------------------------------------------

create table if not exists virtual_accounts (
  business_id                   text not null,
  id                            text not null,
  end_user_id                   text not null,
  provider                      text not null,
  provider_virtual_account_id   text,
  status                        text not null default 'pending' check (status in ('pending', 'active', 'suspended', 'deactivated', 'failed')),
  -- The facts that make the status of an account that is open at the provider, each kept whatever the other says.
  provider_status               text check (provider_status in ('activated', 'deactivated')),
  suspended_reason              text,                           -- null: its end-user may receive deposits here
  source_currency               text not null,
  destination_payment_rail      text not null,
  destination_currency          text not null,
  destination_address           text not null,
  destination_wallet_id         text,
  destination_prefunded_account_id text,
  destination_memo              text,
  developer_fee_percent         text not null default '0',
  fee_config_asked              jsonb,
  fee_config                    jsonb,                          -- as the provider shows it
  metadata                      jsonb not null default '{}',
  instructions                  jsonb,
  instructions_since            timestamptz(3),
  waiting_for_kyc               boolean not null default false,
  failure_code                  text,
  travel_rule_data              jsonb,                          -- kept until the account is open
  pending_destination           jsonb,                          -- counts from pending_destination_at on
  pending_destination_actor     jsonb,   -- who asked: as in the audit log
  pending_destination_at        timestamptz(3),
  created_at                    timestamptz(3) not null default now(),
  updated_at                    timestamptz(3) not null default now(),
  primary key (business_id, id),
  foreign key (business_id, end_user_id) references end_users (business_id, id)
);
create index if not exists virtual_accounts_page on virtual_accounts (business_id, created_at desc, id desc);
create index if not exists virtual_accounts_in_state on virtual_accounts (business_id, status, created_at, id);
create index if not exists virtual_accounts_in_currency on virtual_accounts (business_id, source_currency, created_at, id);
create index if not exists virtual_accounts_changing on virtual_accounts (business_id, created_at desc, id desc)
  where pending_destination is not null;
create index if not exists virtual_accounts_of_user on virtual_accounts (business_id, end_user_id, created_at desc, id desc);
create unique index if not exists virtual_accounts_provider on virtual_accounts (provider, provider_virtual_account_id);
create index if not exists virtual_accounts_pending_destination on virtual_accounts (pending_destination_at)
  where pending_destination_at is not null;

-- Bank details that an account had before.
create table if not exists former_bank_details (
  business_id          text not null,
  virtual_account_id   text not null,
  number               integer not null,                      -- counts the changes of the account
  instructions         jsonb not null,
  valid_from           timestamptz(3) not null,
  valid_until          timestamptz(3) not null,
  primary key (business_id, virtual_account_id, number),
  foreign key (business_id, virtual_account_id) references virtual_accounts (business_id, id) on delete cascade
);

create table if not exists deposits (
  business_id          text not null,
  id                   text not null,
  virtual_account_id   text not null,
  end_user_id          text not null,
  provider_deposit_id  text not null,
  status               text not null,
  state                jsonb not null,                        -- the activities; the API's answer and all columns below are computed from it
  source_currency      text not null,
  gross_amount         numeric,                               -- in that currency, as are the fees and the subtotal; null while not known
  developer_fee        numeric,
  exchange_fee         numeric,
  subtotal_amount      numeric,
  destination_currency text not null,
  destination_exchange_fee numeric,                           -- in that currency, as are gas fee and net amount
  gas_fee              numeric,
  net_amount           numeric,
  completed_at         timestamptz(3),                        -- by the provider's clock
  difference           text,                                  -- why the amounts of a completed deposit do not add up
  refunded_amount      numeric,                               -- in the source currency
  refunded_at          timestamptz(3),                        -- by the provider's clock
  search_terms         text[] not null default '{}',          -- in lower case: ids, references, transaction hashes
  read_at              timestamptz(3) default now(),          -- last reported, or read again while open; null: failed for too long
  created_at           timestamptz(3) not null default now(),
  updated_at           timestamptz(3) not null default now(),
  primary key (business_id, id),
  foreign key (business_id, virtual_account_id) references virtual_accounts (business_id, id)
);
create unique index if not exists deposits_provider on deposits (business_id, virtual_account_id, provider_deposit_id);
create index if not exists deposits_page on deposits (business_id, created_at desc, id desc);
create index if not exists deposits_in_state on deposits (business_id, status, created_at, id);
create index if not exists deposits_in_currency on deposits (business_id, source_currency, created_at, id);
create index if not exists deposits_of_user on deposits (business_id, end_user_id, created_at desc, id desc);
create index if not exists deposits_completed on deposits (business_id, completed_at, id) where completed_at is not null;
create index if not exists deposits_differing on deposits (business_id, completed_at, id) where difference is not null;
create index if not exists deposits_refunded on deposits (business_id, refunded_at, id) where refunded_at is not null;
create index if not exists deposits_of_account on deposits (business_id, virtual_account_id, created_at desc, id desc);
create index if not exists deposits_open on deposits (read_at)
  where status in ('scheduled', 'received', 'in_review', 'payout_submitted', 'refund_pending', 'failed');
create index if not exists deposits_open_of_account on deposits (business_id, virtual_account_id)
  where status in ('scheduled', 'received', 'in_review', 'payout_submitted', 'refund_pending', 'failed');

-- Requests for information that the provider has opened. The key is 'deployment' where no end-user of a business is known to be
-- meant: such a request is for the operator alone. What the provider asks, and the names and numbers that it quotes, are not
-- stored.
create table if not exists information_requests (
  business_id          text not null,
  id                   text not null,
  provider_id          text not null,
  end_user_id          text,
  referent_type        text,
  provider_deposit_id  text,
  state                text not null check (state in ('action_required', 'in_review', 'closed')),
  deadline             timestamptz(3),
  action_taken         text,
  action_at_deadline   text,
  dashboard_url        text,             -- for the operator alone
  opened_at            timestamptz(3),   -- by the provider's clock, as are the next two
  state_changed_at     timestamptz(3),   -- a reading with an earlier time changes nothing
  closed_at            timestamptz(3),
  read_at              timestamptz(3) not null default now(),
  created_at           timestamptz(3) not null default now(),
  updated_at           timestamptz(3) not null default now(),
  primary key (business_id, id),
  foreign key (business_id, end_user_id) references end_users (business_id, id) on delete cascade
);
create unique index if not exists information_requests_provider on information_requests (provider_id);
create index if not exists information_requests_page on information_requests (business_id, created_at desc, id desc);
create index if not exists information_requests_in_state on information_requests (business_id, state, created_at, id);
create index if not exists information_requests_of_user on information_requests (business_id, end_user_id, created_at desc, id desc);
create index if not exists information_requests_of_deposit on information_requests (business_id, provider_deposit_id)
  where provider_deposit_id is not null;
-- For the operator, across businesses; and for the reading of those that are open.
create index if not exists information_requests_of_all on information_requests (created_at desc, id desc);
create index if not exists information_requests_of_all_in_state on information_requests (state, created_at, id);
create index if not exists information_requests_open on information_requests (provider_id) where state <> 'closed';

-- What objects are found by beside their columns, newest first, as the start of a SHA-256: each label in the metadata of
-- end-users and virtual accounts, and each search term of a deposit. Triggers keep the entries; a row whose labels or terms stay
-- as they were runs none.
create table if not exists lookup_terms (
  business_id  text not null,
  term         bytea not null,
  created_at   timestamptz(3) not null,
  id           text not null,
  primary key (business_id, term, created_at, id)
);

create or replace function lookup_term(kind text, name text, value text) returns bytea language sql immutable as $$
  select substr(sha256(convert_to(kind || chr(1) || name || chr(1) || value, 'UTF8')), 1, 16)
$$;

create or replace function keep_labels() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from lookup_terms l using jsonb_each_text(old.metadata) m
    where l.business_id = old.business_id and l.term = lookup_term(tg_table_name, m.key, m.value)
      and l.created_at = old.created_at and l.id = old.id;
  end if;
  if tg_op <> 'DELETE' then
    insert into lookup_terms (business_id, term, created_at, id)
    select new.business_id, lookup_term(tg_table_name, m.key, m.value), new.created_at, new.id
    from jsonb_each_text(new.metadata) m on conflict do nothing;
  end if;
  return null;
end $$;
create or replace trigger end_users_labelled after insert on end_users
  for each row when (new.metadata <> '{}') execute function keep_labels();
create or replace trigger end_users_relabelled after update of metadata on end_users
  for each row when (old.metadata <> new.metadata) execute function keep_labels();
create or replace trigger end_users_unlabelled after delete on end_users
  for each row when (old.metadata <> '{}') execute function keep_labels();
create or replace trigger virtual_accounts_labelled after insert on virtual_accounts
  for each row when (new.metadata <> '{}') execute function keep_labels();
create or replace trigger virtual_accounts_relabelled after update of metadata on virtual_accounts
  for each row when (old.metadata <> new.metadata) execute function keep_labels();
create or replace trigger virtual_accounts_unlabelled after delete on virtual_accounts
  for each row when (old.metadata <> '{}') execute function keep_labels();

create or replace function keep_search_terms() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from lookup_terms l using unnest(old.search_terms) value
    where (tg_op = 'DELETE' or value <> all (new.search_terms)) and l.business_id = old.business_id
      and l.term = lookup_term('deposits', '', value) and l.created_at = old.created_at and l.id = old.id;
  end if;
  if tg_op <> 'DELETE' then
    insert into lookup_terms (business_id, term, created_at, id)
    select new.business_id, lookup_term('deposits', '', value), new.created_at, new.id from unnest(new.search_terms) value
    where tg_op = 'INSERT' or value <> all (old.search_terms);
  end if;
  return null;
end $$;
create or replace trigger deposits_terms_kept after insert or delete on deposits
  for each row execute function keep_search_terms();
create or replace trigger deposits_terms_changed after update of search_terms on deposits
  for each row when (old.search_terms <> new.search_terms) execute function keep_search_terms();

-- Writes at the provider --------------------------------------------------------------------------------------------------

-- The intent and the provider's idempotency key, committed before the call is made. Holds no identity data.
create table if not exists operations (
  business_id      text not null references businesses (id),
  id               text not null,
  kind             text not null,
  subject_id       text not null,
  provider         text not null,
  provider_key     text not null,
  fingerprint      bytea,
  request          jsonb,
  state            text not null default 'running' check (state in ('running', 'unknown', 'done', 'failed')),
  error_code       text,
  attempts         integer not null default 1,                -- the fencing token
  must_be_read     boolean not null default false,            -- carried out: the outcome is read, and nothing is sent again
  provider_object_id text,                                    -- of the object in the response
  lease_until      timestamptz(3) not null,
  repeated_at      timestamptz(3),                            -- sent again, after a read that found nothing
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  primary key (business_id, id)
);
create index if not exists operations_open on operations (lease_until) where state in ('running', 'unknown');
-- At most one open operation of a kind for a subject: of two racing submissions one reaches the provider.
create unique index if not exists operations_single on operations (business_id, kind, subject_id) where state in ('running', 'unknown');

-- Webhook endpoints that Causeway registered at the provider, with the keys that sign what the provider sends.
create table if not exists provider_webhooks (
  provider     text not null,
  id           text not null,
  url          text not null,
  public_key   text not null,
  created_at   timestamptz(3) not null default now(),
  primary key (provider, id)
);

-- Reconciliation with the provider: one row, how far the provider's record of events was read. The first start inserts the row,
-- and with it the provider whose rows the database has.
create table if not exists event_pull (
  provider            text primary key,
  begins_at           timestamptz(3) not null,               -- events made before belong to nobody here
  cursor_event_id     text,                                  -- all events up to this one are stored
  due_at              timestamptz(3) not null default now(),
  eager               boolean not null default true,         -- the next pull reads the youngest events as well
  failures            integer not null default 0,
  -- the running pull
  fence               bigint not null default 0,             -- raised by the replica that takes the pull
  lease_until         timestamptz(3) not null default now(),
  began_at            timestamptz(3),                        -- null when no pull runs
  read_event_id       text,                                  -- the last event read, young ones included
  missed              integer not null default 0,            -- events stored although the webhook had its time
  -- the history of all accounts, newest first, where the provider has no record of events
  history_covered_to  timestamptz(3),                        -- steps made before were read; null: none
  history_newest_at   timestamptz(3),                        -- the newest step of the running look
  history_read_id     text                                   -- the last step that the running look read
);
-- While a deployment has one provider: of two first starts with different providers, one inserts the row, and the other is refused.
create unique index if not exists event_pull_single on event_pull ((true));

-- Reconciliation with the provider: one row, how far the walk got that reads every object again.
create table if not exists reread_walk (
  provider            text primary key,
  stage               text not null default 'end_users' check (stage in ('end_users', 'virtual_accounts')),
  after_business_id   text not null default '',
  after_id            text not null default '',
  due_at              timestamptz(3) not null default now(),   -- of the next step
  fence               bigint not null default 0,               -- raised by the replica that takes the next step
  lease_until         timestamptz(3) not null default now(),
  failures            integer not null default 0,              -- steps in a row for which the provider was away
  requested_at        timestamptz(3),
  began_at            timestamptz(3),
  ended_at            timestamptz(3),
  covered_to          timestamptz(3)                           -- when the last complete walk began
);

-- Reconciliation with the provider: one row, who reads open deposits again. Their order is that of deposits.read_at.
create table if not exists open_deposit_walk (
  id                  boolean primary key default true check (id),
  due_at              timestamptz(3) not null default now(),   -- no step begins before
  fence               bigint not null default 0,               -- raised by the replica that takes the next step
  lease_until         timestamptz(3) not null default now(),
  failures            integer not null default 0               -- steps in a row for which the provider was away
);
insert into open_deposit_walk default values on conflict do nothing;

-- Reconciliation with the provider: one row, how far its requests for information were read.
create table if not exists information_request_pull (
  id               boolean primary key default true check (id),
  stage            text not null default 'listed' check (stage in ('listed', 'held')),
  after_id         text,                                      -- the provider's id of the last request read; null: from the beginning
  pages            integer not null default 0,
  due_at           timestamptz(3) not null default now(),
  fence            bigint not null default 0,                 -- raised by the replica that takes the pull
  lease_until      timestamptz(3) not null default now(),
  began_at         timestamptz(3),                            -- null when no pull runs
  failures         integer not null default 0,
  covered_to       timestamptz(3),                            -- when the last complete pull began
  requested_at     timestamptz(3),                            -- a pull that began before is followed by another one at once
  refused_since    timestamptz(3)                             -- the provider does not let us read them
);
insert into information_request_pull default values on conflict do nothing;

-- Events ------------------------------------------------------------------------------------------------------------------

create table if not exists events (
  id                   text collate "C" primary key,
  business_id          text,                                 -- null until the owner is known
  end_user_id          text,
  virtual_account_id   text,
  external_user_id     text,
  position             bigint,                               -- place among the business's events, gapless; null without an owner
  provider_event_id    text,                                 -- null for events of our own
  trust                text not null check (trust in ('verified', 'unverified', 'own', 'test', 'stream')),
  type                 text not null,
  body                 bytea not null,                       -- the exact bytes that are forwarded
  created_at           timestamptz(3) not null default now()
) partition by range (id);
create table if not exists events_default partition of events default;
create index if not exists events_stream on events (business_id, position) where business_id is not null;

-- Received events, by provider, its id and level of trust: a forged event cannot suppress the real one. Kept longer than the
-- provider repeats anything. The BRIN index costs nothing to write and finds the old end for the sweep.
create table if not exists received_events (
  key        text collate "C" primary key,
  event_id   text collate "C" not null
);
create index if not exists received_events_age on received_events using brin (event_id);

-- Events that are not applied to our state yet, or whose owner is not known. Finished work leaves.
create table if not exists event_work (
  event_id        text collate "C" primary key,
  provider_refs   text[] not null default '{}',              -- ids by which an owner can be found
  state           text not null default 'pending' check (state in ('pending', 'quarantined')),
  attempts        integer not null default 0,
  fence           bigint not null default 0,                 -- raised by the replica that takes the event
  error           text,
  -- Not when the transaction began: the queue is read from where it was last seen, less two seconds.
  due_at          timestamptz(3) not null default date_trunc('milliseconds', clock_timestamp())
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000);
create index if not exists event_work_due on event_work (due_at, event_id) where state = 'pending';
-- Only an event that was tried once and held back is in this index, so it costs the ordinary event nothing.
create index if not exists event_work_held on event_work using gin (provider_refs) where state = 'pending' and error is not null;
-- The same, for the operator who looks at what is held back or was put aside.
create index if not exists event_work_aside on event_work (event_id) where error is not null;
create index if not exists event_work_aside_in_state on event_work (state, event_id) where error is not null;

-- The last position given out in a business's stream of events. The number is part of the key and the newest is read from
-- the index's end: under a snapshot held for hours, a row found by a fixed key is looked for among all its versions, which
-- took 10 ms after 20,000 batches. Small and busy tables are vacuumed by how much has changed, not by their size.
create table if not exists event_streams (
  business_id   text not null,
  position      bigint not null default 0,
  primary key (business_id, position)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

-- Webhooks ----------------------------------------------------------------------------------------------------------------

create table if not exists webhook_endpoints (
  business_id                  text not null references businesses (id),
  id                           text not null,
  url                          text not null,
  description                  text,
  is_default                   boolean not null default false,
  status                       text not null default 'enabled' check (status in ('enabled', 'paused', 'disabled')),
  disabled_reason              text,
  event_types                  text[] not null default '{*}',
  sources                      text[] not null default '{provider,causeway}',
  ordering                     text not null default 'best_effort' check (ordering in ('best_effort', 'per_end_user')),
  secret_sealed                bytea not null,
  previous_secret_sealed       bytea,
  previous_secret_expires_at   timestamptz(3),
  version                      integer not null default 1,   -- counts the changes that the holder of the lane must hear of
  created_at                   timestamptz(3) not null default now(),
  updated_at                   timestamptz(3) not null default now(),
  primary key (business_id, id)
);
create unique index if not exists webhook_endpoints_default on webhook_endpoints (business_id) where is_default;
-- Delivery ids end in the last characters of their endpoint's id.
create unique index if not exists webhook_endpoints_ending on webhook_endpoints (business_id, right(id, 6));

-- Deleted endpoints, until the deliveries that waited for them are moved to the history.
create table if not exists deleted_endpoints (
  endpoint_id   text primary key,
  deleted_at    timestamptz(3) not null default now()
);

-- One lane an endpoint: which replica sends to the endpoint now. The lane is leased, not each delivery: sending writes
-- nothing until there is an outcome.
create table if not exists endpoint_lanes (
  endpoint_id     text primary key,
  business_id     text not null,
  open            boolean not null default true,             -- false while the endpoint is paused or disabled
  wants_at        timestamptz(3),                            -- when a replica should look; null when nothing waits
  owner           text,
  fence           bigint not null default 0,                 -- counts the holders
  failures        integer not null default 0,                -- in a row
  failing_since   timestamptz(3),
  ordered         boolean not null default false,            -- read under the lane's lock by the transaction that stores an event
  resumed_at      timestamptz(3),                            -- from when on the holder begins gently
  tried_to        bigint not null default 0                  -- every delivery up to this one is tried or over: reading begins behind it
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
create index if not exists endpoint_lanes_wanting on endpoint_lanes (wants_at) where wants_at is not null;
create index if not exists endpoint_lanes_closed on endpoint_lanes (endpoint_id) where not open;

-- The last sequence number given out to an endpoint; gapless. Keyed like event_streams.
create table if not exists endpoint_sequences (
  endpoint_id   text not null,
  sequence      bigint not null,
  primary key (endpoint_id, sequence)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

-- Replicas that hold lanes, and until when.
create table if not exists relay_owners (
  id            text primary key,
  lease_until   timestamptz(3) not null
);

-- Deliveries that wait. A delivery's id is its event's with the end of the endpoint's: one index finds a delivery, the
-- deliveries of an event, and the newest of a business.
create table if not exists deliveries (
  endpoint_id       text not null,
  sequence          bigint not null,
  id                text collate "C" not null,
  business_id       text not null,
  event_id          text collate "C" not null,
  end_user_id       text,                                -- within whom order counts
  ordered           boolean not null,                    -- the endpoint's ordering is per_end_user
  attempts          integer not null default 0,
  attempts_before   integer not null default 0,          -- of earlier runs: a repeat on demand begins the schedule anew
  next_attempt_at   timestamptz(3),                      -- null: never tried, the turn comes with the sequence
  last_outcome      text,
  created_at        timestamptz(3) not null default now(),
  replay_id         text,                                -- bounds how many deliveries of a replay wait at once
  primary key (endpoint_id, sequence)
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000);
create unique index if not exists deliveries_id on deliveries (business_id, id);
create index if not exists deliveries_retry on deliveries (endpoint_id, next_attempt_at) where next_attempt_at is not null;
create index if not exists deliveries_ordered on deliveries (endpoint_id, end_user_id, sequence) where ordered;
-- Only deliveries that were attempted and wait for another attempt are in these two: for lists of a business, and of one endpoint.
create index if not exists deliveries_retrying on deliveries (business_id, id) where attempts > 0;
create index if not exists deliveries_retrying_of_endpoint on deliveries (endpoint_id, sequence) where attempts > 0;
create index if not exists deliveries_replay on deliveries (replay_id) where replay_id is not null;

-- Deliveries that are over, each with its last attempt: most have one attempt, and a row less for each saves a third of what
-- settling costs. The columns of the attempt are null where the last attempt did not end the delivery.
-- Of the headers that were sent, only those are stored that do not follow from the row and its event.
create table if not exists finished_deliveries (
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
  finished_at       timestamptz(3) not null default now(),
  http_status       integer,
  response_body     text,
  detail            text,
  duration_ms       integer,
  started_at        timestamptz(3),
  response_sealed   bytea,                               -- in place of headers and body of the answer where the event is sealed
  response_headers  text,                                -- of an answer that is a failure: JSON
  sent_as           text                                 -- webhook-timestamp, user-agent, webhook-signature
) partition by range (id);
create table if not exists finished_deliveries_default partition of finished_deliveries default;
-- Only failed deliveries are in these indexes, so they cost the ordinary delivery nothing. The first serves lists, the second
-- lists and retries of one endpoint.
create index if not exists finished_deliveries_failed on finished_deliveries (business_id, id) where status <> 'delivered';
create index if not exists finished_deliveries_failed_of_endpoint on finished_deliveries (endpoint_id, sequence)
  where status <> 'delivered';

-- Attempts before the last one.
create table if not exists delivery_attempts (
  delivery_id       text collate "C" not null,
  attempt           integer not null,
  business_id       text not null,
  outcome           text not null,
  http_status       integer,
  response_body     text,
  detail            text,
  duration_ms       integer not null,
  started_at        timestamptz(3) not null,
  response_sealed   bytea,
  response_headers  text,
  sent_as           text,
  primary key (delivery_id, attempt)
) partition by range (delivery_id);
create table if not exists delivery_attempts_default partition of delivery_attempts default;

-- Replays: a range of a business's events sent to one endpoint again, in the background. Positions are places in the stream;
-- where only failed deliveries are wanted, sequence numbers of the endpoint.
create table if not exists replays (
  business_id     text not null references businesses (id),
  id              text not null,
  endpoint_id     text not null,
  range_from      timestamptz(3) not null,
  range_to        timestamptz(3) not null,
  event_types     text[] not null,
  sources         text[] not null default '{provider,causeway}',
  wanted          text not null,
  end_user_id     text,                              -- only events about this end-user
  state           text not null default 'running' check (state in ('running', 'done', 'cancelled', 'failed')),
  first_position  bigint not null,                   -- from behind here
  last_position   bigint not null,                   -- up to here, as it was when the replay was asked for
  position        bigint not null,                   -- read up to here
  matched         bigint not null default 0,
  queued          bigint not null default 0,
  skipped         bigint not null default 0,
  failures        integer not null default 0,        -- failed steps in a row
  error           text,
  due_at          timestamptz(3) not null default now(),
  queued_until    timestamptz(3) not null default now(),   -- when the last queued delivery is due: the next come after
  created_at      timestamptz(3) not null default now(),
  updated_at      timestamptz(3) not null default now(),   -- of the last progress
  ended_at        timestamptz(3),
  primary key (business_id, id)
);
create index if not exists replays_due on replays (due_at) where state = 'running';
create unique index if not exists replays_running on replays (endpoint_id) where state = 'running';
create index if not exists replays_page on replays (business_id, endpoint_id, created_at desc, id desc);

-- Statistics --------------------------------------------------------------------------------------------------------------

-- How many rows there are of a subject, by state and by the hour and the day. End-users and accounts are all counted at the
-- beginning of 1970. `unit`: the currency of deposits, the milliseconds of attempts.
create table if not exists counts (
  business_id   text not null,
  subject       text not null check (subject in ('end_user', 'virtual_account', 'deposit', 'attempt')),
  span          text not null check (span in ('hour', 'day')),
  begins_at     timestamptz(3) not null,
  object_id     text not null,                               -- the endpoint of attempts
  state         text not null,
  unit          text not null,
  count         bigint not null,
  volume        numeric not null,
  primary key (business_id, subject, span, begins_at, object_id, state, unit)
) with (fillfactor = 70);
create index if not exists counts_of_attempts on counts (begins_at) where subject = 'attempt';

-- Changes that are not in the counts yet. A transaction that changed a count itself would hold its row until the end, and
-- everybody else of the same business would wait.
create table if not exists count_changes (
  business_id   text not null,
  subject       text not null,
  at            timestamptz(3) not null,
  object_id     text not null default '',
  state         text not null,
  unit          text not null default '',
  count         bigint not null,
  volume        numeric not null default 0
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 10000);
create index if not exists count_changes_of_business on count_changes (business_id);

-- By triggers: no statement can forget them. Of an insert all of `old` is null, of a delete all of `new`.
create or replace function note_count() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'end_users' then
    insert into count_changes (business_id, subject, at, state, count)
    select c.business_id, 'end_user', 'epoch', c.state, c.count
    from (values (old.business_id, old.kyc_status, -1), (new.business_id, new.kyc_status, 1)) c (business_id, state, count)
    where c.business_id is not null and old.kyc_status is distinct from new.kyc_status;
  elsif tg_table_name = 'virtual_accounts' then
    insert into count_changes (business_id, subject, at, state, count)
    select c.business_id, 'virtual_account', 'epoch', c.state, c.count
    from (values (old.business_id, old.status, -1), (new.business_id, new.status, 1)) c (business_id, state, count)
    where c.business_id is not null and old.status is distinct from new.status;
  else
    insert into count_changes (business_id, subject, at, state, unit, count, volume)
    select c.business_id, 'deposit', date_trunc('hour', c.at), c.state, c.unit, c.count, c.count * coalesce(c.volume, 0)
    from (values (old.business_id, old.created_at, old.status, old.source_currency, old.gross_amount, -1),
      (new.business_id, new.created_at, new.status, new.source_currency, new.gross_amount, 1))
      c (business_id, at, state, unit, volume, count)
    where c.business_id is not null and (old.status, old.source_currency, old.gross_amount)
      is distinct from (new.status, new.source_currency, new.gross_amount);
  end if;
  return null;
end $$;
create or replace trigger end_users_counted after insert or delete or update of kyc_status on end_users
  for each row execute function note_count();
create or replace trigger virtual_accounts_counted after insert or delete or update of status on virtual_accounts
  for each row execute function note_count();
create or replace trigger deposits_counted after insert or delete or update of status, source_currency, gross_amount on deposits
  for each row execute function note_count();

-- Alerts ------------------------------------------------------------------------------------------------------------------

-- Where alerts are sent. The operator's rows in these tables have the business_id `deployment`.
create table if not exists alert_channels (
  business_id               text not null,
  id                        text not null,
  type                      text not null check (type in ('email', 'slack', 'webhook')),
  name                      text not null,
  emails                    text[] not null default '{}',         -- of type email
  url_origin                text,                                 -- of the other types, like url_sealed
  url_sealed                bytea,                                -- sealed: its path may be a credential
  secret_sealed             bytea,                                -- of type webhook
  kinds                     text[] not null default '{*}',
  endpoint_failing_minutes  integer not null default 15 check (endpoint_failing_minutes between 1 and 1440),
  status                    text not null default 'enabled' check (status in ('enabled', 'paused')),
  next_message_at           timestamptz(3) not null default now(), -- one message a minute
  next_test_at              timestamptz(3) not null default now(),
  created_at                timestamptz(3) not null default now(),
  updated_at                timestamptz(3) not null default now(),
  primary key (business_id, id)
);
create index if not exists alert_channels_page on alert_channels (business_id, created_at desc, id desc);

-- Businesses that have had a channel: only these are watched. The number is that of the last entry of the audit log that was read.
create table if not exists alert_owners (
  business_id   text primary key,
  audit_number  bigint not null
);

-- When the next round begins. One row: the replica that moves the time runs the round.
create table if not exists alert_rounds (
  due_at           timestamptz(3) not null default now(),
  operator_due_at  timestamptz(3) not null default now()          -- the facts of the operator are read less often
);
create unique index if not exists alert_rounds_single on alert_rounds ((true));
insert into alert_rounds default values on conflict do nothing;

-- Causes. `open` and then `recovered`; or `occurred`, which has no recovery.
create table if not exists alerts (
  business_id   text not null,
  id            text not null,
  kind          text not null,
  subject_id    text not null,
  state         text not null check (state in ('open', 'recovered', 'occurred')),
  details       jsonb not null default '{}',                      -- no identity data
  opened_at     timestamptz(3) not null,
  recovered_at  timestamptz(3),
  notify_at     timestamptz(3),                                   -- when a channel may need a notice; null: none will
  created_at    timestamptz(3) not null default now(),
  primary key (business_id, id)
);
create unique index if not exists alerts_open on alerts (business_id, kind, subject_id) where state = 'open';
create index if not exists alerts_page on alerts (business_id, created_at desc, id desc);
create index if not exists alerts_in_state on alerts (business_id, state, created_at, id);
create index if not exists alerts_of_kind on alerts (business_id, kind, created_at, id);
create index if not exists alerts_to_notify on alerts (notify_at) where notify_at is not null;
create index if not exists alerts_ended on alerts (coalesce(recovered_at, created_at)) where state <> 'open';

-- An alert for a channel: once as opened, once as recovered. A notice without a message waits for one.
create table if not exists alert_notices (
  business_id   text not null,
  channel_id    text not null,
  alert_id      text not null,
  phase         text not null check (phase in ('opened', 'recovered')),
  message_id    text,
  created_at    timestamptz(3) not null default now(),
  primary key (business_id, channel_id, alert_id, phase),
  foreign key (business_id, channel_id) references alert_channels (business_id, id) on delete cascade,
  foreign key (business_id, alert_id) references alerts (business_id, id) on delete cascade
);
create index if not exists alert_notices_waiting on alert_notices (business_id, channel_id, created_at) where message_id is null;
create index if not exists alert_notices_of_alert on alert_notices (business_id, alert_id);

-- Messages to channels, also to those that are deleted. The content is stored once, so that every attempt sends the same.
create table if not exists alert_messages (
  business_id      text not null,
  id               text not null,
  channel_id       text not null,
  is_test          boolean not null,
  subject          text not null,
  content          jsonb not null,
  state            text not null default 'pending' check (state in ('pending', 'sent', 'failed')),
  attempts         integer not null default 0,
  next_attempt_at  timestamptz(3) default now(),                  -- null when the message is finished
  lease_until      timestamptz(3) not null default now(),
  fence            bigint not null default 0,
  last_outcome     text,
  sent_at          timestamptz(3),
  created_at       timestamptz(3) not null default now(),
  primary key (business_id, id)
);
-- A channel has one message under way: what happens during its retries is grouped into the next.
create unique index if not exists alert_messages_single on alert_messages (business_id, channel_id) where state = 'pending' and not is_test;
create index if not exists alert_messages_due on alert_messages (next_attempt_at) where state = 'pending' and attempts = 0;
create index if not exists alert_messages_retry on alert_messages (next_attempt_at) where state = 'pending' and attempts > 0;
create index if not exists alert_messages_page on alert_messages (business_id, created_at desc, id desc);
create index if not exists alert_messages_in_state on alert_messages (business_id, state, created_at, id);
create index if not exists alert_messages_of_channel on alert_messages (business_id, channel_id, created_at desc, id desc);
create index if not exists alert_messages_ended on alert_messages (created_at) where state <> 'pending';

-- Audit log and deployment secrets ----------------------------------------------------------------------------------------

-- Acts of the operator that belong to no business have a chain of their own, under the business_id `deployment`.
create table if not exists audit_log (
  business_id  text not null,
  number       bigint not null,                              -- gapless within the business
  actor        text not null,                                -- an API key, a staff member, `operator`, `provider`, or `causeway`
  actor_id     text generated always as (split_part(actor, '/', 1)) stored,   -- without the session of the console
  action       text not null,
  subject_id   text not null,
  details      jsonb not null default '{}',                  -- no identity data
  created_at   timestamptz(3) not null default now(),
  request_id   text,
  person       jsonb,                                        -- the staff member as the issuer named them at that time
  key_id       integer,                                      -- null, like hash, only in a row that Causeway did not write
  hash         bytea,                                        -- HMAC over the entry and the hash before it
  primary key (business_id, number)
);
create index if not exists audit_log_page on audit_log (created_at desc, business_id, number desc);
create index if not exists audit_log_of_action on audit_log (action, created_at desc, business_id, number desc);
create index if not exists audit_log_of_business on audit_log (business_id, created_at desc, number desc);
create index if not exists audit_log_of_business_action on audit_log (business_id, action, created_at, number);
create index if not exists audit_log_of_business_actor on audit_log (business_id, actor_id, created_at, number);

create or replace function audit_log_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
end $$;
create or replace trigger audit_log_append_only before update or delete on audit_log
  for each row execute function audit_log_append_only();
create or replace trigger audit_log_no_truncate before truncate on audit_log
  for each statement execute function audit_log_append_only();

-- Keys of the chains, sealed under the deployment secret. A rotation of the secret adds one; the old ones verify.
create table if not exists audit_keys (
  id      integer primary key,
  sealed  bytea not null
);

create table if not exists audit_heads (
  business_id  text primary key,
  number       bigint not null,                              -- of the last entry; 0 where there is none
  hash         bytea not null,                               -- of the last entry
  key_id       integer not null,
  signature    bytea not null,
  updated_at   timestamptz(3) not null default now()
);

-- Deployment secrets that stored values may need, by a digest that says nothing of the secret.
create table if not exists deployment_secrets (
  key_id      text primary key,
  first_seen  timestamptz(3) not null default now(),
  retired_at  timestamptz(3)
);

-- Servers that run, each with the deployment secret that it writes with; a server that died counts until `until`.
create table if not exists deployment_secret_writers (
  server      text primary key,
  key_id      text not null,
  until       timestamptz(3) not null,
  version     text not null,
  role        text not null,
  started_at  timestamptz(3) not null default now()
);
