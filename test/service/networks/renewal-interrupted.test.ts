import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../../service/database.ts';
import { importPeople, startService } from '../../../service/operation/index.ts';
import { send } from '../../testbed/asking.ts';
import { startRunning } from '../operation/running.ts';
import { form990 } from '../record/form-990-file.ts';

const REST = { roles: null, source: 'csv', date: '2026-11-22', confidence: 1, clock: Date.now };

it('an import that ended while connections were computed again is completed by the next start', async () => {
  const service = await startRunning(['alpha']);
  const headers = { 'x-api-key': service.keys[0] ?? '' };
  const ask = (baseUrl: string, path: string, body: unknown) =>
    send(baseUrl + path, 'POST', { body, headers });
  const search = await ask(service.baseUrl, '/search', { query: 'Ada Oldenquist' });
  const [ada] = z
    .object({ donors: z.array(z.object({ id: z.string() })) })
    .parse(search.body).donors;
  const made = await ask(service.baseUrl, '/networks', { name: 'Board', color: 'teal' });
  const { network_id } = z.object({ network_id: z.string() }).parse(made.body);
  await ask(service.baseUrl, `/networks/${network_id}/members`, { donor_id: ada?.id });
  await service.close();

  const file = join(dirname(service.file), 'later.xml');
  const people = [
    { name: 'ADA OLDENQUIST', title: 'DIRECTOR' },
    { name: 'FIONA TARLETON', title: 'DIRECTOR' },
  ];
  writeFileSync(file, form990({ form: '990', year: 2025, people }));
  const db = openDatabase(service.file);
  // The trigger has the effect of a process that is killed before the insert.
  db.exec(`create trigger killed before insert on stored_connections
           begin select raise(abort, 'killed'); end`);
  await expect(importPeople(db, { kind: '990', paths: [file], ...REST })).rejects.toThrow('killed');
  db.exec('drop trigger killed');
  db.close();

  const again = await startService({
    ...{ db: service.file, host: '127.0.0.1', port: 0, operatorPort: null, rate: 0, burst: 10 },
    ...{ chargeQueries: false, chargeSingleAdd: false, clock: Date.now, report: () => {} },
  });
  const found = JSON.stringify((await ask(again.baseUrl, '/networks/discover', {})).body);
  await again.close();
  expect(found).toContain('Fiona Tarleton');
});
