/** The tables of the people that were imported. */

/** Who was there once: erased, or joined to another donor, whose profile the earlier ids lead to. */
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

/** Pairs of donors that someone has to look at. */
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
