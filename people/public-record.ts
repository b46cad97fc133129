/**
 * Reads real people from public records: former federal judges and members of Congress. The records contain who these
 * people were and where they served. They contain no wealth, gifts or homes, and the reader adds no fictional data.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { BODY_KINDS } from './body.ts';
import { blankDonor, type Donor } from './donor.ts';
import type { Name } from './person.ts';
import type { Role } from './role.ts';

export interface RealPeople {
  /** A description of these people. */
  description: string;
  donors: Donor[];
}

/**
 * Reads people.csv, organisations.csv and roles.csv from a folder and checks every row. Throws if a file is missing or
 * a row is invalid. The same files always produce the same IDs.
 */
export function readPublicRecord(folder: string): RealPeople {
  const people = readRows(folder, 'people.csv', personRow);
  const organisations = readRows(folder, 'organisations.csv', organisationRow);
  const roles = readRows(folder, 'roles.csv', roleRow);
  const organisationById = new Map(organisations.map((row) => [row.org_id, row]));
  const rolesByPerson = Map.groupBy(roles, ({ person_id }) => person_id);
  const donors = people.map((person) => {
    const served = (rolesByPerson.get(person.person_id) ?? []).map((role) =>
      toServed(role, organisationById),
    );
    return toDonor(person, served);
  });
  const fingerprint = createHash('sha256').update(JSON.stringify(donors)).digest('hex').slice(0, 8);
  return { description: `${donors.length} real people (${fingerprint})`, donors };
}

const personRow = z.object({
  person_id: z.string().min(1),
  full_name: z.string().min(1),
  given_name: z.string().min(1),
  family_name: z.string().min(1),
  birth_year: z.string().regex(/^(\d{4})?$/),
  status: z.enum(['deceased', 'former']),
  headline: z.string(),
});

const organisationRow = z.object({
  org_id: z.string().min(1),
  name: z.string().min(1),
  kind: z.enum(BODY_KINDS),
});

/** For each kind of relationship, the part of a donor's life to which it belongs. */
const SIDES = {
  education: 'education',
  employment: 'work',
  judicial: 'work',
  legislative: 'work',
  military: 'work',
  board: 'boards',
  committee: 'boards',
} as const;

const SERVICE = new Set(['judicial', 'legislative', 'military']);

/** A year or a date. */
const dateText = z.string().regex(/^\d{4}(-\d{2}-\d{2})?$/);

const roleRow = z.object({
  person_id: z.string(),
  org_id: z.string(),
  kind: z.enum([
    'education',
    'employment',
    'judicial',
    'legislative',
    'military',
    'board',
    'committee',
  ]),
  title: z.string(),
  start: dateText,
  end: dateText.or(z.literal('')),
});

interface Served {
  side: (typeof SIDES)[keyof typeof SIDES];
  role: Role;
}

function toServed(
  { org_id, kind, title, start, end }: z.infer<typeof roleRow>,
  organisations: ReadonlyMap<string, z.infer<typeof organisationRow>>,
): Served {
  const organisation = organisations.get(org_id);
  if (organisation === undefined)
    throw new Error(`A role names the unknown organisation ${org_id}.`);
  const role = {
    organisationId: idFrom('organisation', org_id),
    organisationName: organisation.name,
    title,
    ...datesOf(start, end),
    body: organisation.kind,
    ...(SERVICE.has(kind) ? { isService: true } : {}),
  };
  return { side: SIDES[kind], role };
}

/**
 * Returns the dates of a role. For many roles, only the years are known. For these roles, the function uses the middle
 * of the first year and the middle of the last year. The error is at most half a year at the start and at the end. If a
 * role starts and ends in the same year, it lasts for the whole year.
 */
function datesOf(start: string, end: string): { start: string; end: string | null } {
  if (start === end && start.length === 4) return { start: `${start}-01-01`, end: `${end}-12-31` };
  return { start: dayIn(start), end: end === '' ? null : dayIn(end) };
}

function dayIn(date: string): string {
  return date.length === 4 ? `${date}-07-01` : date;
}

function toDonor(person: z.infer<typeof personRow>, served: readonly Served[]): Donor {
  const side = (wanted: Served['side']) =>
    served
      .filter((one) => one.side === wanted)
      .map(({ role }) => role)
      .sort(byLatest);
  return {
    ...blankDonor(idFrom('person', person.person_id), nameOf(person)),
    birthYear: person.birth_year === '' ? null : Number(person.birth_year),
    ...(person.status === 'deceased' ? { isDeceased: true } : {}),
    work: side('work'),
    education: side('education'),
    boards: side('boards'),
    bio: person.headline === '' ? [] : [`${person.headline}.`],
  };
}

/** Returns the parts of a name. The text between the first and the last name is the middle name. */
function nameOf({ full_name, given_name, family_name }: z.infer<typeof personRow>): Name {
  const given = `${given_name} `;
  const before = full_name.slice(0, Math.max(0, full_name.lastIndexOf(family_name)));
  const middle = before.startsWith(given) ? before.slice(given.length).trim() : '';
  return { first: given_name, middle: middle === '' ? null : middle, last: family_name };
}

function byLatest(a: Role, b: Role): number {
  const endOf = (role: Role) => role.end ?? 'present';
  const one = `${endOf(a)} ${a.start}`;
  const other = `${endOf(b)} ${b.start}`;
  return one < other ? 1 : -Number(one > other);
}

function idFrom(what: string, key: string): string {
  return createHash('sha256').update(`public record ${what} ${key}`).digest('hex').slice(0, 32);
}

function readRows<T>(folder: string, file: string, row: z.ZodType<T>): T[] {
  const path = join(folder, file);
  const rows = z.array(row).safeParse(parse(readFileSync(path), { columns: true, bom: true }));
  if (rows.success) return rows.data;
  throw new Error(`${path} cannot be used.\n${z.prettifyError(rows.error)}`);
}
