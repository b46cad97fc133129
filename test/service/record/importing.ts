import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../../service/database.ts';
import {
  type ImportOrder,
  type ImportReport,
  importPeople,
} from '../../../service/record/import.ts';
import { openRecord } from '../../../service/record/store.ts';

/** Opens a service's empty database. Provides files to import, and the database's content afterwards. */
export function openImporting() {
  const folder = mkdtempSync(join(tmpdir(), 'service-import-'));
  const db = openDatabase(undefined);
  onTestFinished(() => {
    db.close();
    rmSync(folder, { recursive: true });
  });
  return {
    db,
    folder,
    file(name: string, text: string): string {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
    import: (
      order: Partial<ImportOrder> & Pick<ImportOrder, 'kind' | 'paths'>,
    ): Promise<ImportReport> => importPeople(db, { ...DEFAULTS, ...order }),
    people: () => peopleIn(db),
  };
}

const DEFAULTS = {
  roles: null,
  source: 'board-book',
  date: '2026-11-22',
  confidence: 0.8,
  clock: () => Date.parse('2026-11-22T12:00:00Z'),
};

function peopleIn(db: Database) {
  const record = openRecord(db);
  return Array.from({ length: record.count() }, (_, number) => record.donor(number)).filter(
    (donor) => donor !== null,
  );
}

/** Returns a person's full name with its parts in their usual order. */
export function fullName({
  name,
}: {
  name: { first: string; middle: string | null; last: string };
}) {
  return [name.first, name.middle, name.last].filter((part) => part !== null).join(' ');
}
