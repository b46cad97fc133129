import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { z } from 'zod';
import { EXIT_CODES } from '../../src/interfaces/cli/terminal/output.ts';
import { type CliWorld, openCliWorld } from '../helpers/cli.ts';
import { ON_ADD } from './network-world.ts';

/** The delay is so long that only the stop can have ended the process. */
const LONG_MS = 600_000;

const WAIT_MS = 100;
const MAX_WAITS = 600;

/** Long enough for the bulk add to be sent, but shorter than its job. */
const PAUSE_MS = 600;

let world: CliWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const membersSchema = z.object({
  networks: z.array(z.object({ member_ids: z.array(z.string()) })),
});
const ledgerSchema = z.object({ ledger: z.array(z.object({ amount: z.number() })) });

async function openBoard(networkJobTimeMs: number): Promise<CliWorld> {
  world = await openCliWorld({
    service: { networkJobTimeMs },
    settings: '    networks: [{ name: Board, group: { column: Role, equals: board } }]',
  });
  const rows = await world.rows();
  await world.saveRows(rows.map((row) => ({ ...row, Role: 'board' })));
  return world;
}

/**
 * Runs a sync and sends SIGTERM while the bulk add is in flight. The product sends the bulk add immediately after it
 * has created the network.
 */
async function stopInBulkAdd({ start, requests }: CliWorld): Promise<void> {
  const { child, ended } = await start(['sync']);
  for (let wait = 0; wait < MAX_WAITS; wait++) {
    if ((await requests()).some((one) => /^POST .*\/networks$/.test(one))) break;
    await sleep(WAIT_MS);
  }
  await sleep(PAUSE_MS);
  child.kill('SIGTERM');
  const { exitCode, stdout } = await ended;
  expect({ exitCode, stdout }).toMatchObject({ exitCode: EXIT_CODES.stopped });
}

/** Returns the number of members in the network, and the credits that were taken from the networks bucket. */
async function books({ service: { rootUrl } }: CliWorld) {
  const { networks } = membersSchema.parse(await getJson(`${rootUrl}/_sandbox/networks`));
  const { ledger } = ledgerSchema.parse(
    await getJson(`${rootUrl}/_sandbox/ledger?bucket=networks`),
  );
  return {
    members: networks.flatMap(({ member_ids: ids }) => ids).length,
    spent: ledger.reduce((sum, { amount }) => sum + amount, 0),
  };
}

async function getJson(url: string): Promise<unknown> {
  return (await fetch(url)).json();
}

it('stops while the job of a bulk add goes on, and the next sync takes its members up', async () => {
  const here = await openBoard(5_000);
  await stopInBulkAdd(here);
  const { stdout } = await here.run(['sync', '--json']);
  const { members, spent } = await books(here);
  expect(members).toBeGreaterThan(5);
  expect(spent).toBe(members);
  expect(JSON.parse(stdout)).toMatchObject({
    runs: [{ status: 'succeeded', networks: [{ added: members, failed: 0 }] }],
  });
});

it('stops while the answer to a bulk add does not come, and pays for no member twice', async () => {
  const here = await openBoard(0);
  await here.putFaults([{ on: ON_ADD, times: 1, fault: { kind: 'slow', delayMs: LONG_MS } }]);
  await stopInBulkAdd(here);
  await here.putFaults([]);
  await here.run(['sync', '--json']);
  const { members, spent } = await books(here);
  expect(members).toBeGreaterThan(5);
  expect(spent).toBe(members);
});
