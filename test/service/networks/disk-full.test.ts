import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../../service/database.ts';
import { openNetworkService } from '../../../service/networks/service.ts';
import { anEngineOf, type Tie } from './hand-made-engine.ts';
import { idsOf, WORLD } from './people.ts';

it('a paid bulk add waits while the disk is full, and adds every donor once there is space', async () => {
  const db = openDatabase(undefined);
  onTestFinished(() => void db.close());
  const donors = [1, 2, 3, 4];
  const ties = donors.flatMap((donor) =>
    Array.from({ length: 40 }, (_, other): Tie => [donor, 10 + other, 0.9]),
  );
  const errors: Error[] = [];
  const service = openNetworkService({
    ...{ db, world: WORLD, engine: anEngineOf(ties), clock: Date.now, jobTimeMs: 0 },
    createId: () => crypto.randomUUID().replaceAll('-', ''),
    report: (error) => errors.push(error),
  });
  const network = service.networks.create('one', { name: 'Board', color: 'teal' });
  const order = { team: 'one', networkId: network?.network_id ?? '', donorIds: idsOf(...donors) };
  const rest = { paid: donors.length, hangs: false, failsAfter: null, failsEvery: null };
  const id = service.jobs.add({ ...order, ...rest });

  const pages = db.pragma('page_count', { simple: true });
  db.pragma(`max_page_count = ${pages}`);
  await service.worker.catchUp();
  expect(errors.map(({ message }) => message)).toContain('database or disk is full');
  expect(service.jobs.find('one', id)).toMatchObject({
    status: 'processing',
    results: { failed_ids: [] },
  });

  db.pragma('max_page_count = 100000');
  await service.worker.catchUp();
  const { added_ids, failed_ids } = service.jobs.find('one', id)?.results ?? {};
  expect({ added_ids, failed_ids }).toEqual({ added_ids: idsOf(...donors), failed_ids: [] });
});
