/** The donor profile, as an enhancement returns it (service document, section 2.6). */

import { z } from '@hono/zod-openapi';
import {
  type Donor,
  type Gift,
  type Role,
  SOURCED_FACTS,
  type SourcedFact,
  type SourceNote,
} from './donor.ts';

const WEB_APPLICATION_URL = 'https://app.donors.example/donors';

const roleDates = {
  title: z.string(),
  start_date: z.iso.date(),
  end_date: z.iso.date().nullable(),
};

/** The schema of a profile, in which unknown values are null or empty. */
export const profileSchema = z
  .object({
    id: z.string().regex(/^[0-9a-f]{32}$/),
    name: z.object({ first: z.string(), middle: z.string().nullable(), last: z.string() }),
    service_url: z.url(),
    age: z.number().int().nullable(),
    is_deceased: z.boolean(),
    net_worth_range: z
      .array(z.number().int())
      .length(2)
      .nullable()
      .openapi({ description: 'Lower and upper bound in US dollars' }),
    political_stats: z.object({ capacity: z.number().nullable() }),
    nonprofit_stats: z.object({ capacity: z.number().nullable() }),
    education: z.array(z.object({ institution_name: z.string(), ...roleDates })),
    work: z
      .array(z.object({ company_name: z.string(), ...roleDates }))
      .openapi({ description: 'Current employers first, then the most recent' }),
    bio: z.array(z.string()),
    location: z
      .object({ city: z.string(), state: z.string() })
      .nullable()
      .openapi({ description: 'Part of the current address' }),
    boards: z.array(z.object({ organization_name: z.string(), ...roleDates })),
    donations: z
      .array(z.object({ recipient_name: z.string(), amount: z.number().int(), date: z.iso.date() }))
      .openapi({ description: 'Known gifts in US dollars, the latest first' }),
    sources: z
      .array(
        z.object({
          field: z.string().openapi({ example: 'boards[0]' }),
          source: z.string().openapi({ example: 'irs-990' }),
          reference: z.string(),
          date: z.iso.date(),
          confidence: z.number().min(0).max(1),
        }),
      )
      .optional()
      .openapi({
        description:
          'The source, date and confidence of each field; only for imported people. This field exists only in this implementation.',
      }),
  })
  .openapi('APIDonor');

/** A profile in the form in which the response contains it. */
export type Profile = z.infer<typeof profileSchema>;

/** Returns a donor's profile. The age is the donor's age at the end of the year that contains `nowMs`. */
export function toProfile(donor: Donor, nowMs: number): Profile {
  return {
    id: donor.id,
    name: donor.name,
    service_url: serviceUrlOf(donor),
    age: ageOf(donor, nowMs),
    is_deceased: donor.isDeceased ?? false,
    net_worth_range: donor.netWorth === null ? null : [donor.netWorth.low, donor.netWorth.high],
    political_stats: { capacity: donor.capacity.political },
    nonprofit_stats: { capacity: donor.capacity.nonprofit },
    education: latestFirst(donor.education).map((role) => ({
      institution_name: role.organisationName,
      ...datesOf(role),
    })),
    work: latestFirst(donor.work).map((role) => ({
      company_name: role.organisationName,
      ...datesOf(role),
    })),
    bio: donor.bio,
    location: locationOf(donor),
    boards: latestFirst(donor.boards).map((role) => ({
      organization_name: role.organisationName,
      ...datesOf(role),
    })),
    donations: donor.gifts.map((gift) => ({
      recipient_name: gift.organisationName,
      amount: gift.amount,
      date: gift.date,
    })),
    ...(donor.sources === undefined ? {} : { sources: sourcesOf(donor, donor.sources) }),
  };
}

const FIELDS: Record<SourcedFact, string> = {
  name: 'name',
  birth: 'age',
  death: 'is_deceased',
  address: 'location',
  netWorth: 'net_worth_range',
  capacity: 'nonprofit_stats.capacity',
  bio: 'bio',
};

function sourcesOf(donor: Donor, facts: NonNullable<Donor['sources']>) {
  const notes = (field: string, items: readonly (Role | Gift)[]) =>
    items.map(({ source }, at) => shownSource(`${field}[${at}]`, source));
  return [
    ...SOURCED_FACTS.map((fact) => shownSource(FIELDS[fact], facts[fact])),
    ...notes('education', latestFirst(donor.education)),
    ...notes('work', latestFirst(donor.work)),
    ...notes('boards', latestFirst(donor.boards)),
    ...notes('donations', donor.gifts),
  ].filter((source) => source !== null);
}

function shownSource(field: string, note: SourceNote | undefined) {
  if (note === undefined) return null;
  const { source, reference, date, confidence } = note;
  return { field, source, reference, date, confidence };
}

/**
 * Returns the age that a donor reaches in the year of `nowMs`. Returns null if the donor has died or the date of birth
 * is unknown.
 */
export function ageOf({ birthYear, isDeceased }: Donor, nowMs: number): number | null {
  if (birthYear === null || isDeceased === true) return null;
  return new Date(nowMs).getUTCFullYear() - birthYear;
}

/**
 * Returns the address of the donor's page, which is at the service's own address, or in a web application that does not
 * exist in the sandbox.
 */
export function serviceUrlOf({ id, page }: Pick<Donor, 'id' | 'page'>): string {
  return page ?? `${WEB_APPLICATION_URL}/${id}`;
}

/** Returns the city and the state in which the donor lives, or null if they are unknown. */
export function locationOf({ addresses: [home] }: Donor): { city: string; state: string } | null {
  return home === undefined ? null : { city: home.city, state: home.state };
}

function latestFirst(roles: readonly Role[]): Role[] {
  const endOf = (role: Role) => role.end ?? 'present';
  // ISO dates are in the right order when they are sorted as text. In this order, the word for the present comes after
  // all digits.
  return roles.toSorted((a, b) => compare(endOf(b), endOf(a)) || compare(b.start, a.start));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function datesOf(role: Role) {
  return { title: role.title, start_date: role.start, end_date: role.end };
}
