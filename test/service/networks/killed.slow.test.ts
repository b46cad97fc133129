import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { PartnerSandbox } from '../../../sandbox/partner/index.ts';
import { aDatabaseFile } from '../../testbed/a-database-file.ts';
import { readLedger, startPartner } from '../partner.ts';
import {
  createNetwork,
  discover,
  endOfJob,
  membersByName,
  readJob,
  startBulk,
} from './networks.ts';
import { idsOf, WORLD } from './people.ts';

const KILLS = 3;
const DONORS = idsOf(...Array.from({ length: 30 }, (_, number) => number));

describe('a stand-in that is killed', () => {
  it('goes on with its bulk add at each start, and pays it once', async () => {
    const file = await aDatabaseFile();
    let server = await serve(file);
    const id = await startBulk(server.partner, await createNetwork(server.partner), DONORS);
    for (let kill = 1; kill <= KILLS; kill += 1) {
      await expect
        .poll(async () => (await readJob(server.partner, id)).progress)
        .toBeGreaterThan(kill * 3);
      server.child.kill('SIGKILL');
      await once(server.child, 'exit');
      server = await serve(file);
    }

    const { partner } = server;
    expect(await endOfJob(partner, id)).toMatchObject({
      status: 'completed',
      results: { added_ids: DONORS, already_member_ids: [], failed_ids: [] },
    });
    expect((await membersByName(partner))['Board']?.toSorted()).toEqual(DONORS.toSorted());
    expect(await discover(partner)).toEqual([[WORLD.donor(40).id, 0.8]]);
    expect((await readLedger(partner)).map(({ amount }) => amount)).toEqual([DONORS.length]);
  });

  it('kept its file to itself until then', async () => {
    const file = await aDatabaseFile();
    const { child } = await serve(file);
    await expect(startPartner({ db: file, world: WORLD })).rejects.toThrow('is in use');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect(startPartner({ db: file, world: WORLD })).resolves.toHaveProperty('apiKey');
  });
});

async function serve(file: string): Promise<{ child: ChildProcess; partner: PartnerSandbox }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'serve.ts'), file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  const address = z
    .object({ baseUrl: z.string(), rootUrl: z.string(), apiKey: z.string() })
    .parse(JSON.parse(String(line)));
  return { child, partner: { ...address, close: async () => {} } };
}
