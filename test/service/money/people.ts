/** Adds invented people to a service's file with a CSV import. */

import { rmSync, writeFileSync } from 'node:fs';
import type { Database } from '../../../service/database.ts';
import type { World } from '../../../service/donor.ts';
import { importPeople } from '../../../service/operation/index.ts';
import { openRecord } from '../../../service/record/store.ts';

/** Imports all donors of a world from a list next to the database, and returns the donors' IDs in the service. */
export async function importWorld(db: Database, world: World): Promise<string[]> {
  const file = `${db.name}.csv`;
  const rows = Array.from({ length: world.donorCount }, (_, number) => {
    const { name } = world.donor(number);
    return `D${number},${name.first},${name.middle ?? ''},${name.last}`;
  });
  writeFileSync(file, ['id,first_name,middle_name,last_name', ...rows, ''].join('\n'));
  await importPeople(db, {
    kind: 'csv',
    paths: [file],
    ...{ roles: null, source: 'people', date: '2026-11-22', confidence: 1, clock: Date.now },
  });
  rmSync(file);
  const record = openRecord(db);
  return Array.from({ length: record.count() }, (_, number) => record.donor(number)?.id ?? '');
}
