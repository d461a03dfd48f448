-- What instances report after they returned to the old version of a rollout by themselves. A resumed
-- rollout clears the row; the same instance can veto again later.
create table veto (
  rollout   bigint not null,
  instance  varchar(100) not null,
  reason    text not null,
  at        timestamp with time zone not null,
  cleared   boolean not null,
  primary key (rollout, instance)
);

-- The driver looks for what has ended every 5 s.
create index override_expires on override (live, expires);
create index block_until on block (live, until);
