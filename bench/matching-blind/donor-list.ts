/** Writes a donor list to the two CSV files that `donor-sync service import csv` reads. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeStreet } from './contact.ts';
import type { Person } from './people.ts';

export interface ListFiles {
  donors: string;
  roles: string;
}

const DONOR_COLUMNS =
  'id,first_name,middle_name,last_name,suffix,birth,street,city,state,postal_code,bio';
const ROLE_COLUMNS = 'donor_id,kind,organization,title,start';

/**
 * Writes the donor list. Each donor's `bio` is a sentence that contains the ID of the row, so a profile shows which
 * rows the service joined into it.
 */
export async function writeDonorList(
  folder: string,
  name: string,
  people: Person[],
): Promise<ListFiles> {
  const donors = people.map((person) =>
    toLine([
      person.key,
      person.first,
      person.filed.middle,
      person.last,
      person.filed.suffix,
      person.filed.birth,
      writeStreet(person.home),
      person.home.city,
      person.home.state,
      person.home.zip,
      writeMarker(person.key),
    ]),
  );
  const roles = people
    .filter((person) => person.employer)
    .map((person) => toLine([person.key, 'work', person.employer, 'Manager', '2015-06-01']));
  const files = {
    donors: join(folder, `${name}.csv`),
    roles: join(folder, `${name}-roles.csv`),
  };
  await writeFile(files.donors, `${[DONOR_COLUMNS, ...donors].join('\n')}\n`);
  await writeFile(files.roles, `${[ROLE_COLUMNS, ...roles].join('\n')}\n`);
  return files;
}

export function writeMarker(key: string): string {
  return `Row ${key} of a list.`;
}

/** Returns the IDs of the rows whose sentences are in a profile. */
export function readMarkers(bio: string[]): string[] {
  return bio.flatMap((sentence) => /^Row (\S+) of a list\.$/.exec(sentence)?.[1] ?? []);
}

function toLine(fields: string[]): string {
  return fields
    .map((field) => (/[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
    .join(',');
}
