/** The tables of the imported people. */

/**
 * Donors that no longer exist. They were erased, or they were joined to another donor. The ID of a joined donor leads
 * to the other donor's profile.
 */
export const VACANCY_TABLES = `
create table if not exists record_vacancies (
  number integer primary key,
  joined_to integer,
  probability real,
  reasons text not null,
  at_ms integer not null
);
create table if not exists record_aliases (
  id text primary key,
  number integer not null
) without rowid;
create index if not exists record_keys_by_number on record_keys (number);
create table if not exists record_blocked (
  fingerprint text not null,
  person text not null,
  primary key (fingerprint, person)
) without rowid;
create table if not exists export_donors (
  export_id text not null,
  donor integer not null,
  primary key (export_id, donor)
) without rowid;
create index if not exists export_donors_by_donor on export_donors (donor);
`;

/**
 * The data of each source about a joined donor, so that an operator can undo the join. A part contains the data that
 * comes from some of the joined donor's keys. `own_number` is the number that the part had as a separate donor. Each
 * pair in `record_apart` consists of two people, as an operator has decided. The column `parts` of a job, a member or a
 * list entry contains the parts for which it was created.
 */
export const PART_TABLES = `
create table if not exists record_parts (
  id text primary key,
  number integer not null,
  own_number integer,
  donor text not null,
  aliases text not null
) without rowid;
create index if not exists record_parts_by_number on record_parts (number);
create table if not exists record_part_keys (
  key text primary key,
  part text not null
) without rowid;
create index if not exists record_part_keys_by_part on record_part_keys (part);
create table if not exists record_apart (
  one integer not null,
  other integer not null,
  primary key (one, other)
) without rowid;
create table if not exists record_undone (
  position integer primary key,
  number integer not null,
  apart_from integer not null,
  at_ms integer not null
);
create table if not exists mixed_places (
  kind text not null check (kind in ('list', 'network')),
  place text not null,
  team text not null,
  donor integer not null,
  primary key (kind, place, donor)
) without rowid;
create index if not exists jobs_by_donor on jobs (donor_number) where donor_number is not null;
create index if not exists list_donors_by_donor on list_donors (donor_number);
`;

/**
 * The position of a joined donor in lists that also contain the other donor. When the join is undone, the position is
 * restored. Joining donors and undoing joins need the indexes. Without the indexes, they would read all jobs and all
 * joined donors.
 */
export const JOINED_TABLES = `
create table if not exists joined_places (
  donor integer not null,
  list_id text not null,
  position integer not null,
  added_at_ms integer not null,
  primary key (donor, list_id)
) without rowid;
create index if not exists record_vacancies_by_joined on record_vacancies (joined_to) where joined_to is not null;
create index if not exists jobs_by_runner_up on jobs (json_extract(match, '$.runnerUp.donorNumber')) where match is not null;
`;

/** The columns that refer to donors. */
export const PART_COLUMNS = [
  ['jobs', 'parts', 'text'],
  ['jobs', 'is_mixed', 'integer not null default 0'],
  ['list_donors', 'parts', 'text'],
  ['network_members', 'parts', 'text'],
] as const;

/** The imported tax returns, with the keys of their people. A later return may amend an imported return. */
export const RETURN_TABLES = `
create table if not exists record_returns (
  number integer primary key,
  ein text not null,
  period_from text not null,
  period_to text not null,
  filed_at text not null,
  is_amended integer not null
);
create index if not exists record_returns_by_period on record_returns (ein, period_from, period_to);
create table if not exists record_return_people (
  filing integer not null,
  key text not null,
  primary key (filing, key)
) without rowid;
create index if not exists record_return_people_by_key on record_return_people (key);
`;

/** Pairs of donors that an operator must review. */
export const REVIEW_TABLES = `
create table if not exists record_reviews (
  one integer not null,
  other integer not null,
  probability real not null,
  reasons text not null,
  at_ms integer not null,
  primary key (one, other)
) without rowid;
`;

export const RECORD_TABLES = `
create table if not exists record_donors (
  number integer primary key,
  id text not null unique,
  donor text not null
);
create table if not exists record_keys (
  key text primary key,
  number integer not null
) without rowid;
create table if not exists record_organisations (
  id text primary key,
  name text not null,
  comparable text not null,
  ein text unique
) without rowid;
create index if not exists record_organisations_by_name on record_organisations (comparable);
create table if not exists record_imports (
  fingerprint text primary key,
  kind text not null,
  file text not null,
  at_ms integer not null,
  people integer not null,
  added integer not null,
  changed integer not null
) without rowid;
`;
