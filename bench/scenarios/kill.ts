/** Kills syncs with SIGKILL at random moments, and then compares donor-sync's records with the service's ledger. */

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { killUntilDone, readBooks } from '../../test/helpers/killed-sync.ts';
import { exactly, type Figure, plain, type Scenario } from '../figure.ts';
import { type NeighbourOptions, startNeighbour } from '../neighbour.ts';
import { PROGRAM } from '../program.ts';
import { NO_TRIAL } from '../with-workplace.ts';
import { createWorkplace } from '../workplace.ts';

interface Killed {
  contacts: number;
  kills: number;
  /** The number of syncs that run at one time, each with its own service. */
  atOnce: number;
  latestKillMs: number;
  neighbour: Partial<NeighbourOptions>;
  settleAfterMs: number;
  /** More lines for the client's settings. */
  extra: string;
}

export const kill: Scenario = {
  name: 'kill',
  title: '1,000 contacts, SIGKILL at 200 random moments',
  measure: () =>
    measureKills({
      ...{ contacts: 1_000, kills: 200, atOnce: 1, latestKillMs: 2_000 },
      neighbour: {},
      settleAfterMs: 400,
      extra: '',
    }),
};

/** Kills syncs while the service responds slowly. Six submissions are then in flight. */
export const killInFlight: Scenario = {
  name: 'kill-in-flight',
  title: '3,000 contacts, submits of 5 s, SIGKILL at 400 random moments',
  measure: () =>
    measureKills({
      ...{ contacts: 3_000, kills: 400, atOnce: 4, latestKillMs: 12_000 },
      neighbour: { submitLatencyMs: 5_000 },
      // A request needs half of the latency to arrive. The service receives the request even if the process has been
      // killed in the meantime.
      settleAfterMs: 4_000,
      extra: NO_TRIAL,
    }),
};

async function measureKills(killed: Killed): Promise<Figure[]> {
  const sums = await killSyncs(killed);
  return [
    plain('kills', sums.kills, ''),
    plain('syncs that they hit', sums.experiments, ''),
    plain('submissions open at one time, at most', sums.mostOpen, ''),
    exactly('contacts paid for twice', sums.paidTwice, '', 0),
    exactly('credits without explanation', sums.unexplained, '', 0),
    exactly('contacts without an outcome', sums.withoutOutcome, '', 0),
    exactly('delivered profiles missing from the file', sums.missingInFile, '', 0),
    plain('contacts held because of a lost response', sums.heldAsLost, ''),
  ];
}

const ledgerSchema = z.object({ ledger: z.array(z.object({ amount: z.number() })) });
const rowsSchema = z.array(z.record(z.string(), z.string()));

/** The sums over all experiments. */
interface KillFigures {
  kills: number;
  mostOpen: number;
  experiments: number;
  /** The number of contacts for which credits were spent twice. */
  paidTwice: number;
  /** The difference in credits between the service's ledger and donor-sync's records. */
  unexplained: number;
  /** The number of contacts that are held because a response was lost. */
  heldAsLost: number;
  /** The number of contacts that have no outcome or are still waiting. */
  withoutOutcome: number;
  /**
   * The number of contacts whose profile was delivered according to donor-sync's records but is missing in the file.
   */
  missingInFile: number;
}

/** Syncs new contact lists and kills the syncs at random moments, until the given number of syncs has been killed. */
async function killSyncs(killed: Killed): Promise<KillFigures> {
  const sums: KillFigures = {
    ...{ kills: 0, mostOpen: 0, experiments: 0, paidTwice: 0, unexplained: 0, heldAsLost: 0 },
    ...{ withoutOutcome: 0, missingInFile: 0 },
  };
  const share = Math.ceil(killed.kills / killed.atOnce);
  await Promise.all(
    Array.from({ length: killed.atOnce }, async () => {
      for (let left = share; left > 0; ) left -= await experiment(killed, left, sums);
    }),
  );
  return sums;
}

/** Runs one experiment: creates a new contact list and syncs it. */
async function experiment(
  { contacts, latestKillMs, neighbour: options, settleAfterMs, extra }: Killed,
  mostKills: number,
  sums: KillFigures,
): Promise<number> {
  const limits = { donors: contacts, rate: 0, burst: 10, jobTimeMs: 400 };
  const neighbour = await startNeighbour({ ...limits, ...options });
  const place = await createWorkplace(
    neighbour,
    contacts,
    `    settleAfterMs: ${settleAfterMs}\n${extra}`,
  );
  const database = join(dirname(place.settings), 'store.db');
  try {
    const { settings } = place;
    const kills = await killUntilDone(
      { ...{ program: PROGRAM, settings, database, latestKillMs }, random: Math.random },
      mostKills,
    );
    const books = readBooks(database);
    const reply = await fetch(`${neighbour.rootUrl}/_sandbox/ledger?bucket=enhancements`);
    const { ledger } = ledgerSchema.parse(await reply.json());
    const charged = ledger.reduce((sum, { amount }) => sum + amount, 0);
    const rows = rowsSchema.parse(parse(await readFile(place.output, 'utf8'), { columns: true }));
    const waiting = [...books.outcomes].filter(([reason]) => /pending|running|busy/.test(reason));
    const delivered = ['fields_written', 'values_equal', 'profile_fresh']
      .map((reason) => books.outcomes.get(reason) ?? 0)
      .reduce((a, b) => a + b);
    sums.experiments += 1;
    sums.kills += kills;
    sums.mostOpen = Math.max(sums.mostOpen, books.mostOpen);
    sums.paidTwice += books.paidTwice.length;
    sums.unexplained += Math.abs(charged - books.charged) + books.openSubmissions;
    sums.heldAsLost += books.outcomes.get('lost_answer') ?? 0;
    sums.withoutOutcome +=
      contacts - total([...books.outcomes.values()]) + total(waiting.map(([, count]) => count));
    sums.missingInFile += delivered - rows.filter((row) => row['Donor ID']).length;
    return kills;
  } finally {
    await place.remove();
    await neighbour.stop();
  }
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
