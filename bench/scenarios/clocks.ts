/** Runs several hosts whose clocks differ, and then compares donor-sync's records with the service's ledger. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import {
  type Host,
  type HostedSync,
  kill,
  readHostedBooks,
  startOn,
  syncOn,
  untilSubmitting,
} from '../../test/helpers/hosts.ts';
import { startPostgresServer } from '../../test/helpers/postgres-server.ts';
import { exactly, type Figure, plain, type Scenario } from '../figure.ts';
import { type Neighbour, startNeighbour } from '../neighbour.ts';
import { createDatabase } from '../postgres-database.ts';
import { PROGRAM } from '../program.ts';
import { createWorkplace } from '../workplace.ts';

export const clocks: Scenario = {
  name: 'clocks',
  title: 'clocks two minutes ahead and behind, a slow service, SIGKILL in flight',
  measure: measureClocks,
};

async function measureClocks(): Promise<Figure[]> {
  const hosts = await tryTwoHosts(20);
  const restarts = await tryRestarts(10);
  return [
    plain('trials with two hosts over Postgres', hosts.trials, ''),
    exactly('credits paid twice', hosts.paidTwice, '', 0),
    exactly('submissions left open', hosts.open, '', 0),
    plain('kills and restarts two minutes ahead', restarts.trials, ''),
    exactly('credits paid twice', restarts.paidTwice, '', 0),
    exactly('submissions left open', restarts.open, '', 0),
  ];
}

const CONTACTS = 80;

/** The quiet time (ms), which is shorter than usual. The service takes almost the whole quiet time. */
const SETTLE_AFTER_MS = 3_000;
const SLOW_MS = 2_500;

const AHEAD: Host = { name: 'ahead', clockAheadMs: 120_000 };
const BEHIND: Host = { name: 'behind', clockAheadMs: -120_000 };

/**
 * A process is killed in one of this number of trials. After a kill with a request in flight, the next process waits
 * until the dead process's lease expires.
 */
const KILL_EVERY = 4;

/** The sums over all trials. */
interface ClockFigures {
  trials: number;
  /** The number of credits in the service's ledger that are missing in donor-sync's records. */
  paidTwice: number;
  /** The number of submissions that were never completed. */
  open: number;
}

/**
 * Tests two hosts that share one Postgres server and use a slow service. In every fourth trial, one host is killed.
 */
async function tryTwoHosts(trials: number): Promise<ClockFigures> {
  const server = await startPostgresServer();
  const sums: ClockFigures = { trials: 0, paidTwice: 0, open: 0 };
  try {
    for (let trial = 0; trial < trials; trial++) {
      const database = await createDatabase(server.url, `trial_${trial}`);
      await withSync(database, sums, async (sync, neighbour) => {
        await once(startOn(AHEAD, sync, ['migrate']), 'exit');
        const [first, second] = trial % 2 === 0 ? [BEHIND, AHEAD] : [AHEAD, BEHIND];
        if (trial % KILL_EVERY === KILL_EVERY - 1) {
          await killInFlight(first, sync, neighbour, database);
          await Promise.all([syncOn(first, sync), syncOn(second, sync)]);
          return;
        }
        await putFault(neighbour, { fault: { kind: 'slow', delayMs: SLOW_MS } });
        const one = syncOn(first, sync);
        await untilSubmitting(database);
        await sleep(Math.random() * SLOW_MS);
        await Promise.all([one, syncOn(second, sync)]);
      });
    }
  } finally {
    await server.stop();
  }
  return sums;
}

/**
 * Tests one host with SQLite. The scenario kills the host during a request, and restarts it with a clock that is two
 * minutes ahead.
 */
async function tryRestarts(trials: number): Promise<ClockFigures> {
  const sums: ClockFigures = { trials: 0, paidTwice: 0, open: 0 };
  for (let trial = 0; trial < trials; trial++) {
    await withSync(null, sums, async (sync, neighbour, database) => {
      const host = { name: 'host', clockAheadMs: 0 };
      await killInFlight(host, sync, neighbour, database);
      await syncOn({ ...host, clockAheadMs: 120_000 }, sync);
    });
  }
  return sums;
}

/** Kills a process during its request. The service charges for the request after the process has been killed. */
async function killInFlight(
  host: Host,
  sync: HostedSync,
  neighbour: Neighbour,
  database: string,
): Promise<void> {
  await putFault(neighbour, { times: 1, fault: { kind: 'lateCharge', delayMs: SLOW_MS } });
  const child = startOn(host, sync);
  await untilSubmitting(database);
  await kill(child);
}

const ledgerSchema = z.object({ ledger: z.array(z.object({ amount: z.number() })) });

/** Runs a trial on this server and adds its figures. If `server` is null, uses its own SQLite file. */
async function withSync(
  server: string | null,
  sums: ClockFigures,
  trial: (sync: HostedSync, neighbour: Neighbour, database: string) => Promise<void>,
): Promise<void> {
  const neighbour = await startNeighbour({ donors: 500, rate: 0, burst: 10, jobTimeMs: 300 });
  const place = await createWorkplace(
    neighbour,
    CONTACTS,
    `    settleAfterMs: ${SETTLE_AFTER_MS}\n`,
    server ?? 'sqlite:store.db',
  );
  const database = server ?? `sqlite:${join(dirname(place.settings), 'store.db')}`;
  const env = { DONOR_SYNC_SECRET_KEY: randomBytes(32).toString('base64') };
  try {
    await trial({ program: PROGRAM, settings: place.settings, env }, neighbour, database);
    const reply = await fetch(`${neighbour.rootUrl}/_sandbox/ledger?bucket=enhancements`);
    const { ledger } = ledgerSchema.parse(await reply.json());
    const charged = ledger.reduce((sum, { amount }) => sum + amount, 0);
    const { paid, open } = await readHostedBooks(database);
    sums.trials += 1;
    sums.paidTwice += charged - paid;
    sums.open += open;
  } finally {
    await place.remove();
    await neighbour.stop();
  }
}

async function putFault({ rootUrl }: Neighbour, rule: Record<string, unknown>): Promise<void> {
  const on = { method: 'POST', path: '/enhancements' };
  const reply = await fetch(`${rootUrl}/_sandbox/faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ on, ...rule }]),
  });
  if (!reply.ok) throw new Error(await reply.text());
}
