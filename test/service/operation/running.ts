import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../../../service/database.ts';
import {
  importPeople,
  openTeamKeys,
  openTeams,
  startService,
} from '../../../service/operation/index.ts';
import { form990 } from '../record/form-990-file.ts';

const clock = Date.now;

/**
 * The people in the tax return that a test's service imports first. All people in the return are members of one board.
 */
export const PEOPLE = ['ADA', 'BERTHA', 'CLEO', 'DORA', 'EDITH'].map((first) => ({
  name: `${first} OLDENQUIST`,
  title: 'DIRECTOR',
}));

/**
 * Starts a service whose operator imports one tax return and creates a key for each team. Closes the service after the
 * test.
 */
export async function startRunning(teams: readonly string[], publicUrl?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'running-service-'));
  const file = join(folder, 'service.db');
  writeFileSync(join(folder, 'return.xml'), form990({ form: '990', people: PEOPLE }));
  const db = openDatabase(file);
  await importPeople(db, {
    kind: '990',
    paths: [join(folder, 'return.xml')],
    ...{ roles: null, source: 'csv', date: '2026-11-22', confidence: 1, clock },
  });
  const known = openTeams(db, clock);
  const keys = openTeamKeys(db, known, clock);
  const issued = teams.map((team) => {
    known.add(team, 1_000);
    return keys.issue({ team, label: '', deactivatesOn: null }).apiKey;
  });
  db.close();
  const errors: Error[] = [];
  const options = {
    ...{ db: file, host: '127.0.0.1', port: 0, operatorPort: null, rate: 0, burst: 10 },
    ...{ chargeQueries: false, chargeSingleAdd: false, clock, publicUrl },
    report: (error: Error) => errors.push(error),
  };
  const service = await startService(options);
  const close = service.close;
  const later: { close(): Promise<void> }[] = [];
  let isClosed = false;
  const running = {
    ...service,
    file,
    errors,
    keys: issued,
    async close() {
      if (isClosed) return;
      isClosed = true;
      await close();
    },
    /** Restarts the service after it has been closed. */
    async again() {
      const started = await startService(options);
      later.push(started);
      return started;
    },
  };
  onTestFinished(async () => {
    await running.close();
    for (const one of later) await one.close();
    rmSync(folder, { recursive: true });
  });
  return running;
}
