/** The tables of a service that an operator runs, which contain the teams and their keys. */

export const OPERATION_TABLES = `
create table if not exists teams (
  name text primary key,
  created_at_ms integer not null,
  closed_at_ms integer
) without rowid;
create table if not exists team_keys (
  hash text primary key,
  id text not null unique,
  team text not null references teams (name),
  label text not null,
  created_at_ms integer not null,
  deactivates_on text,
  revoked_at_ms integer
) without rowid;
`;
