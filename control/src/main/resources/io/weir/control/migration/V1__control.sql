-- The control plane's tables, in SQL that H2 (PostgreSQL mode) and PostgreSQL 13+ share.
-- Moments are UTC on the database's clock. `seq` of a row is the sequence number of its last change:
-- a delta since N is every row with a larger one.

-- One row. Every change locks it first: it hands out sequence numbers and holds the head of the audit
-- log. A database sequence leaves gaps and commits out of order, and `since=N` would skip rows.
create table head (
  id          smallint not null primary key check (id = 1),
  change_seq  bigint not null,
  change_floor bigint not null,
  log_id      varchar(64) not null,
  epoch       bigint not null,
  audit_seq   bigint not null,
  audit_hash  varchar(64) not null
);

create table change (
  seq        bigint not null primary key,
  kinds      varchar(200) not null,
  audit_seq  bigint not null,
  at         timestamp with time zone not null
);

create table version (
  number      bigint not null primary key,
  parent      bigint not null,
  files       text not null,
  sha256      varchar(64) not null,
  author      varchar(200) not null,
  message     text not null,
  what_if     text not null,
  expectation text not null,
  created     timestamp with time zone not null,
  seq         bigint not null
);
create index version_sha256 on version (sha256);

create table rollout (
  id           bigint not null primary key,
  from_version bigint not null,
  to_version   bigint not null,
  plan         text not null,
  step         integer not null,
  state        varchar(20) not null,
  reason       text not null,
  evidence     text not null,
  revision     bigint not null,
  started      timestamp with time zone not null,
  entered      timestamp with time zone not null,
  seq          bigint not null
);
create index rollout_seq on rollout (seq);
create index rollout_to on rollout (to_version);

-- One row: the last version whose rollout was done, and the newest rollout.
create table active (
  id       smallint not null primary key check (id = 1),
  version  bigint not null,
  rollout  bigint not null,
  epoch    bigint not null
);

create table tenant (
  id       varchar(256) not null primary key,
  tier     varchar(64) not null,
  numbers  text not null,
  removed  boolean not null,
  author   varchar(200) not null,
  updated  timestamp with time zone not null,
  seq      bigint not null
);
create index tenant_seq on tenant (seq, id);
create index tenant_tier on tenant (tier);

-- Ended rows stay: they are the history of a key. `live` is 1 for the one row of a rule and key that
-- counts and null for those replaced or ended by hand, so that the unique index holds only live ones.
create table override (
  id          bigint not null primary key,
  rule_id     varchar(256) not null,
  key_hash    varchar(64) not null,
  key_hash64  bigint not null,
  key_label   text,
  limit_name  varchar(128) not null,
  limit_text  varchar(200),
  factor      double precision,
  unlimited   boolean not null,
  reason      text not null,
  author      varchar(200) not null,
  created     timestamp with time zone not null,
  starts      timestamp with time zone not null,
  expires     timestamp with time zone not null,
  last_used   timestamp with time zone,
  live        smallint,
  seq         bigint not null
);
create unique index override_live on override (rule_id, key_hash, live);
create index override_seq on override (seq);

-- Blocks by operators and signals by outside systems. `rule_id` is `*` for all rules.
create table block (
  id         bigint not null primary key,
  rule_id    varchar(256) not null,
  key_hash   varchar(64) not null,
  key_hash64 bigint not null,
  key_label  text,
  effect     varchar(20) not null,
  origin     varchar(20) not null,
  until      timestamp with time zone not null,
  reason     text not null,
  source     varchar(200) not null,
  author     varchar(200) not null,
  created    timestamp with time zone not null,
  live       smallint,
  seq        bigint not null
);
create unique index block_live on block (rule_id, key_hash, origin, live);
create index block_seq on block (seq);

create table killswitch (
  scope    varchar(300) not null primary key,
  until    timestamp with time zone not null,
  message  text not null,
  author   varchar(200) not null,
  created  timestamp with time zone not null,
  removed  boolean not null,
  seq      bigint not null
);

create table token (
  id         bigint not null primary key,
  hash       varchar(64) not null unique,
  role       varchar(20) not null,
  label      varchar(200) not null,
  author     varchar(200) not null,
  created    timestamp with time zone not null,
  expires    timestamp with time zone,
  last_used  timestamp with time zone,
  revoked    boolean not null,
  seq        bigint not null
);

create table instance (
  id            varchar(100) not null primary key,
  version       bigint not null,
  applied_at    timestamp with time zone,
  rejected      text not null,
  change_seq    bigint not null,
  audit_epoch   bigint not null,
  audit_seq     bigint not null,
  audit_hash    varchar(64) not null,
  clock_offset_ms bigint not null,
  last_seen     timestamp with time zone not null
);

create table usage (
  rule_id     varchar(256) not null,
  limit_name  varchar(128) not null,
  key_hash    varchar(64) not null,
  period      timestamp with time zone not null,
  cell        varchar(64) not null,
  generation  bigint not null,
  used        bigint not null,
  updated     timestamp with time zone not null,
  primary key (rule_id, limit_name, key_hash, period, cell)
);
create index usage_updated on usage (updated);

create table audit (
  seq            bigint not null primary key,
  epoch          bigint not null,
  at             timestamp with time zone not null,
  actor          text not null,
  address        text not null,
  action         varchar(64) not null,
  target         text not null,
  before_text    text not null,
  after_text     text not null,
  message        text not null,
  correlation    text not null,
  previous_hash  varchar(64) not null,
  hash           varchar(64) not null,
  signer         varchar(64) not null,
  signature      text not null
);

-- One row: the instance that drives rollouts and expiry.
create table driver (
  id        smallint not null primary key check (id = 1),
  holder    varchar(100) not null,
  term      bigint not null,
  deadline  timestamp with time zone not null
);

-- What instances saw of both sides of a rollout; one row per instance and changed rule.
create table sample (
  rollout   bigint not null,
  instance  varchar(100) not null,
  rule_id   varchar(256) not null,
  body      text not null,
  at        timestamp with time zone not null,
  primary key (rollout, instance, rule_id)
);

-- Recorded calls that instances hand over for a what-if.
create table recording (
  request   varchar(64) not null,
  instance  varchar(100) not null,
  body      bytea,
  at        timestamp with time zone not null,
  primary key (request, instance)
);
