/** The tables of the donor index. */

/**
 * The version of the index format. Increase the version when the form of the rows changes. If a database has a
 * different version, the service indexes it again.
 */
export const INDEX_VERSION = 10;

export const INDEX_TABLES = `
create table if not exists donor_index (
  number integer primary key,
  last text not null,
  first text not null,
  middle text not null,
  lastParts text not null,
  addresses text not null,
  employers text not null,
  isDead integer not null,
  isInvented integer not null,
  hasStudied integer not null,
  born text not null,
  generation integer
);
create table if not exists donor_other_names (
  last text not null,
  first text not null,
  number integer not null,
  primary key (last, first, number)
) without rowid;
create table if not exists donor_houses (
  house text not null,
  number integer not null,
  primary key (house, number)
) without rowid;
create table if not exists employer_sizes (
  name text primary key,
  donors integer not null
) without rowid;
create table if not exists first_names (name text primary key, bearers integer not null) without rowid;
create table if not exists last_names (name text primary key, bearers integer not null) without rowid;
create table if not exists near_first_names (shortened text, name text, primary key (shortened, name)) without rowid;
create table if not exists near_last_names (shortened text, name text, primary key (shortened, name)) without rowid;
`;
