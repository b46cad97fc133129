/** Defines the columns that an export can contain. */

import type { Donor } from '../donor.ts';
import { fullNameOf } from '../donors/summary.ts';
import { type Profile, toProfile } from '../profile.ts';

/** The names of the columns. Requests name the columns, and the first row of the file contains their names. */
export const EXPORT_FIELDS = [
  'id',
  'first_name',
  'middle_name',
  'last_name',
  'full_name',
  'age',
  'street',
  'city',
  'state',
  'postal_code',
  'company',
  'title',
  'work',
  'education',
  'boards',
  'net_worth_low',
  'net_worth_high',
  'nonprofit_capacity',
  'political_capacity',
  'donation_total',
  'donation_count',
  'last_donation_date',
  'bio',
  'service_url',
] as const;

export type ExportField = (typeof EXPORT_FIELDS)[number];

/** The content of a cell, or null if it is unknown. */
export type CellValue = string | number | null;

/** Returns a row with the given columns of a donor. */
export function toRow(donor: Donor, fields: readonly ExportField[], nowMs: number): CellValue[] {
  const profile = toProfile(donor, nowMs);
  return fields.map((field) => READERS[field](profile, donor));
}

/** The separator between several values in one cell. */
const SEPARATOR = '; ';

const READERS: Record<ExportField, (profile: Profile, donor: Donor) => CellValue> = {
  id: ({ id }) => id,
  first_name: ({ name }) => name.first,
  middle_name: ({ name }) => name.middle,
  last_name: ({ name }) => name.last,
  full_name: ({ name }) => fullNameOf(name),
  age: ({ age }) => age,
  street: (_, { addresses }) => addresses[0]?.street ?? null,
  city: (_, { addresses }) => addresses[0]?.city ?? null,
  state: (_, { addresses }) => addresses[0]?.state ?? null,
  postal_code: (_, { addresses }) => addresses[0]?.postalCode ?? null,
  company: (profile) => presentJobOf(profile)?.company_name ?? null,
  title: (profile) => presentJobOf(profile)?.title ?? null,
  work: ({ work }) => joined(work.map(({ title, company_name }) => `${title}, ${company_name}`)),
  education: ({ education }) => joined(education.map(({ institution_name }) => institution_name)),
  boards: ({ boards }) => joined(boards.map(({ organization_name }) => organization_name)),
  net_worth_low: ({ net_worth_range }) => net_worth_range?.[0] ?? null,
  net_worth_high: ({ net_worth_range }) => net_worth_range?.[1] ?? null,
  nonprofit_capacity: ({ nonprofit_stats }) => nonprofit_stats.capacity,
  political_capacity: ({ political_stats }) => political_stats.capacity,
  donation_total: ({ donations }) => donations.reduce((sum, { amount }) => sum + amount, 0),
  donation_count: ({ donations }) => donations.length,
  last_donation_date: ({ donations }) => donations[0]?.date ?? null,
  bio: ({ bio }) => (bio.length === 0 ? null : bio.join(' ')),
  service_url: ({ service_url }) => service_url,
};

function presentJobOf({ work }: Profile): Profile['work'][number] | undefined {
  return work.find(({ end_date }) => end_date === null);
}

function joined(values: readonly string[]): string | null {
  return values.length === 0 ? null : [...new Set(values)].join(SEPARATOR);
}
