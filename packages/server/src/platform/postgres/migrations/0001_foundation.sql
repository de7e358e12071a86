-- The foundation: businesses, their keys and endpoints, end-users, accounts, deposits, events and deliveries.
-- Ids are ours, random and prefixed. Every business-owned table has business_id first in its key, ready to be distributed by it.
-- Written so that a second run changes nothing.

create table if not exists businesses (
  id          text primary key,
  name        text not null,
  status      text not null default 'active' check (status in ('active', 'suspended')),
  created_at  timestamptz(3) not null default now(),
  updated_at  timestamptz(3) not null default now()
);

create table if not exists api_keys (
  business_id   text not null references businesses (id),
  id            text not null,
  name          text not null,
  digest        bytea not null,          -- HMAC-SHA256 of the key under the deployment secret
  last_four     text not null,
  scopes        text[] not null,
  created_at    timestamptz(3) not null default now(),
  expires_at    timestamptz(3),
  last_used_at  timestamptz(3),
  revoked_at    timestamptz(3),
  primary key (business_id, id)
);
create unique index if not exists api_keys_digest on api_keys (digest);

create table if not exists end_users (
  business_id           text not null references businesses (id),
  id                    text not null,
  external_user_id      text not null,
  email                 text,
  type                  text not null check (type in ('individual', 'business')),
  metadata              jsonb not null default '{}',
  kyc_status            text not null default 'not_started',
  provider_status       text,
  tos_status            text not null default 'pending',
  signed_agreement_id   text,
  rails                 jsonb not null default '{}',
  requirements          jsonb not null default '{"currentlyDue":[],"pendingReview":[],"errors":[]}',
  rejection_reasons     jsonb not null default '[]',
  provider_customer_id  text,
  provider_kyc_link     jsonb,
  created_at            timestamptz(3) not null default now(),
  updated_at            timestamptz(3) not null default now(),
  primary key (business_id, id)
);
create unique index if not exists end_users_external on end_users (business_id, external_user_id);
create index if not exists end_users_page on end_users (business_id, created_at desc, id desc);
-- Events name the provider's customer and nothing else: this is how their owner is found, across businesses.
create unique index if not exists end_users_provider on end_users (provider_customer_id) where provider_customer_id is not null;
create unique index if not exists end_users_kyc_link on end_users ((provider_kyc_link->>'id')) where provider_kyc_link is not null;
create unique index if not exists end_users_id on end_users (id);
create index if not exists end_users_by_external on end_users (external_user_id);

create table if not exists tos_links (
  business_id   text not null,
  id            text not null,
  end_user_id   text not null,
  provider_url  text not null,
  redirect_uri  text,
  status        text not null default 'pending' check (status in ('pending', 'approved', 'expired')),
  created_at    timestamptz(3) not null default now(),
  expires_at    timestamptz(3) not null,
  primary key (business_id, id),
  foreign key (business_id, end_user_id) references end_users (business_id, id) on delete cascade
);
create index if not exists tos_links_of_user on tos_links (business_id, end_user_id, created_at desc);

-- Upstream writes: the intent and the key are here before the call is made. Holds no identity data.
create table if not exists operations (
  business_id      text not null references businesses (id),
  id               text not null,
  kind             text not null,
  subject_id       text not null,
  provider_key     text not null,
  fingerprint      bytea,
  request          jsonb,
  state            text not null default 'running' check (state in ('running', 'unknown', 'done', 'failed')),
  error_code       text,
  attempts         integer not null default 1,
  lease_until      timestamptz(3) not null,
  created_at       timestamptz(3) not null default now(),
  updated_at       timestamptz(3) not null default now(),
  primary key (business_id, id)
);
create index if not exists operations_open on operations (lease_until) where state in ('running', 'unknown');
-- At most one open operation of a kind for a subject: two racing submissions can not both reach the provider.
create unique index if not exists operations_single on operations (business_id, kind, subject_id) where state in ('running', 'unknown');

create table if not exists virtual_accounts (
  business_id                   text not null,
  id                            text not null,
  end_user_id                   text not null,
  provider_virtual_account_id   text,
  status                        text not null default 'pending' check (status in ('pending', 'active', 'deactivated', 'failed')),
  source_currency               text not null,
  destination_payment_rail      text not null,
  destination_currency          text not null,
  destination_address           text not null,
  destination_memo              text,
  developer_fee_percent         text not null default '0',
  instructions                  jsonb,
  waiting_for_kyc               boolean not null default false,
  failure_code                  text,
  created_at                    timestamptz(3) not null default now(),
  updated_at                    timestamptz(3) not null default now(),
  primary key (business_id, id),
  foreign key (business_id, end_user_id) references end_users (business_id, id)
);
create index if not exists virtual_accounts_page on virtual_accounts (business_id, created_at desc, id desc);
create index if not exists virtual_accounts_of_user on virtual_accounts (business_id, end_user_id, created_at desc, id desc);
create unique index if not exists virtual_accounts_provider on virtual_accounts (provider_virtual_account_id) where provider_virtual_account_id is not null;

create table if not exists deposits (
  business_id          text not null,
  id                   text not null,
  virtual_account_id   text not null,
  end_user_id          text not null,
  provider_deposit_id  text not null,
  status               text not null,
  facts                jsonb not null,
  created_at           timestamptz(3) not null default now(),
  updated_at           timestamptz(3) not null default now(),
  primary key (business_id, id),
  foreign key (business_id, virtual_account_id) references virtual_accounts (business_id, id)
);
create unique index if not exists deposits_provider on deposits (business_id, virtual_account_id, provider_deposit_id);
create index if not exists deposits_page on deposits (business_id, created_at desc, id desc);
create index if not exists deposits_of_account on deposits (business_id, virtual_account_id, created_at desc, id desc);

create table if not exists webhook_endpoints (
  business_id                  text not null references businesses (id),
  id                           text not null,
  url                          text not null,
  is_default                   boolean not null default false,
  status                       text not null default 'enabled' check (status in ('enabled', 'paused', 'disabled')),
  disabled_reason              text,
  event_types                  text[] not null default '{*}',
  ordering                     text not null default 'best_effort' check (ordering in ('best_effort', 'per_end_user')),
  secret_sealed                bytea not null,
  previous_secret_sealed       bytea,
  previous_secret_expires_at   timestamptz(3),
  sequence                     bigint not null default 0,   -- the last one given out; gapless
  created_at                   timestamptz(3) not null default now(),
  updated_at                   timestamptz(3) not null default now(),
  primary key (business_id, id)
);
create unique index if not exists webhook_endpoints_default on webhook_endpoints (business_id) where is_default;

create table if not exists events (
  id                   text primary key,
  position             bigint generated always as identity,
  business_id          text references businesses (id),      -- null until the owner is known
  end_user_id          text,
  virtual_account_id   text,
  external_user_id     text,
  provider_event_id    text,                                 -- null for events of our own
  trust                text not null check (trust in ('verified', 'unverified', 'own')),
  type                 text not null,
  body                 bytea not null,                       -- the exact bytes that are forwarded
  provider_refs        text[] not null default '{}',         -- provider ids by which an owner can be found
  apply_state          text not null check (apply_state in ('pending', 'applied', 'ignored', 'quarantined')),
  apply_attempts       integer not null default 0,
  apply_error          text,
  due_at               timestamptz(3) not null default now(),   -- next try to route or to apply
  created_at           timestamptz(3) not null default now()
);
-- One row per provider event and level of trust: a forged event can not suppress the real one.
create unique index if not exists events_provider on events (provider_event_id, trust) where provider_event_id is not null;
create index if not exists events_page on events (business_id, created_at desc, id desc);
create index if not exists events_waiting on events (due_at, position) where apply_state = 'pending';
create index if not exists events_unrouted on events using gin (provider_refs) where business_id is null;

create table if not exists deliveries (
  business_id       text not null,
  id                text not null,
  event_id          text not null references events (id),
  endpoint_id       text not null,
  lane              text not null,                            -- the end-user within which order counts, or ''
  sequence          bigint not null,
  status            text not null default 'pending' check (status in ('pending', 'delivered', 'exhausted', 'cancelled')),
  attempts          integer not null default 0,
  next_attempt_at   timestamptz(3) default now(),
  lease_owner       text,
  lease_until       timestamptz(3),
  last_outcome      text,
  created_at        timestamptz(3) not null default now(),
  finished_at       timestamptz(3),
  primary key (business_id, id),
  foreign key (business_id, endpoint_id) references webhook_endpoints (business_id, id) on delete cascade
);
create unique index if not exists deliveries_once on deliveries (event_id, endpoint_id);
create unique index if not exists deliveries_sequence on deliveries (endpoint_id, sequence);
create index if not exists deliveries_due on deliveries (next_attempt_at) where status = 'pending';
create index if not exists deliveries_lane on deliveries (endpoint_id, lane, sequence) where status = 'pending';

create table if not exists delivery_attempts (
  business_id     text not null,
  delivery_id     text not null,
  attempt         integer not null,
  outcome         text not null,
  http_status     integer,
  response_body   text,
  detail          text,
  duration_ms     integer not null,
  started_at      timestamptz(3) not null,
  primary key (business_id, delivery_id, attempt),
  foreign key (business_id, delivery_id) references deliveries (business_id, id) on delete cascade
);

create table if not exists idempotency_keys (
  business_id   text not null references businesses (id),
  operation     text not null,                                -- method, route and path
  key           text not null,
  fingerprint   bytea not null,                               -- HMAC of the canonical body
  status        integer,                                      -- null while the request runs
  response      bytea,                                        -- sealed: answers may carry a new key or secret
  lease_until   timestamptz(3) not null,
  expires_at    timestamptz(3) not null,
  created_at    timestamptz(3) not null default now(),
  primary key (business_id, operation, key)
);
create index if not exists idempotency_keys_expiry on idempotency_keys (expires_at);

-- Webhook endpoints which we registered at the provider, with the keys that sign what it sends.
create table if not exists provider_webhooks (
  id           text primary key,
  url          text not null,
  public_key   text not null,
  created_at   timestamptz(3) not null default now()
);
