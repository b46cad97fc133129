/** The tables of networks, created together with the sandbox's other tables. */

/**
 * A member's connections are stored only once for each team, even if several of the team's networks contain the member.
 * `stored_members` has one row for each donor in any of the team's networks. The rows of `stored_connections` are
 * sorted by strength, so a ranking reads only the first rows. If the rows were indexed by donor, the rows of a new
 * member would be spread over the whole file. The column `other_ends` replaces an index by donor.
 */
export const NETWORK_TABLES = `
create table if not exists networks (
  number integer primary key,
  id text not null unique,
  team text not null,
  name text not null,
  color text not null,
  created_at_ms integer not null,
  unique (team, name)
);
create table if not exists network_members (
  network integer not null references networks,
  donor integer not null,
  primary key (network, donor)
) without rowid;
create index if not exists network_members_by_donor on network_members (donor);
create table if not exists stored_members (
  number integer primary key,
  team text not null,
  donor integer not null,
  other_ends blob not null,
  unique (team, donor)
);
create table if not exists stored_connections (
  member integer not null references stored_members,
  rank integer not null,
  donor integer not null,
  strength real not null,
  entity_name text not null,
  entity_type text not null,
  source_relationship text not null,
  target_relationship text not null,
  snippet text not null,
  primary key (member, rank)
) without rowid;
create table if not exists network_jobs (
  number integer primary key,
  id text not null unique,
  team text not null,
  network_id text not null,
  submitted_at_ms integer not null,
  starts_at_ms integer not null,
  fails integer not null
);
create index if not exists network_jobs_by_age on network_jobs (submitted_at_ms);
create table if not exists network_job_items (
  job integer not null references network_jobs,
  position integer not null,
  donor_id text not null,
  due_at_ms integer,
  is_doomed integer not null,
  outcome text,
  primary key (job, position)
) without rowid;
create index if not exists network_job_items_open on network_job_items (due_at_ms)
  where outcome is null;
`;
