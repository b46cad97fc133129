/** SIGKILL at random moments, and the books compared with the ledger afterwards. */

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { killUntilDone, readBooks } from '../../test/helpers/killed-sync.ts';
import { exactly, type Figure, plain, type Scenario } from '../figure.ts';
import { startNeighbour } from '../neighbour.ts';
import { PROGRAM } from '../program.ts';
import { createWorkplace } from '../workplace.ts';

export const kill: Scenario = {
  name: 'kill',
  title: '1,000 contacts, SIGKILL at 200 random moments',
  measure: measureKills,
};

async function measureKills(): Promise<Figure[]> {
  const sums = await killSyncs(1_000, 200);
  return [
    plain('kills', sums.kills, ''),
    plain('syncs that they hit', sums.experiments, ''),
    exactly('contacts paid for twice', sums.paidTwice, '', 0),
    exactly('credits without explanation', sums.unexplained, '', 0),
    exactly('contacts without an outcome', sums.withoutOutcome, '', 0),
    exactly('delivered profiles not in the file', sums.missingInFile, '', 0),
    plain('contacts held as a lost answer', sums.heldAsLost, ''),
  ];
}

const ledgerSchema = z.object({ ledger: z.array(z.object({ amount: z.number() })) });
const rowsSchema = z.array(z.record(z.string(), z.string()));

/** The sums over all experiments. */
interface KillFigures {
  kills: number;
  experiments: number;
  /** Contacts that two credits were spent on. */
  paidTwice: number;
  /** Credits of the ledger that our books do not have, or the other way round. */
  unexplained: number;
  /** Contacts held because an answer was lost. */
  heldAsLost: number;
  /** Contacts without an outcome, or whose outcome is that they still wait. */
  withoutOutcome: number;
  /** Contacts whose profile is delivered by the books and missing in the file. */
  missingInFile: number;
}

/** Syncs fresh contact lists, killed at random moments, until so many kills are done. */
async function killSyncs(contacts: number, wantedKills: number): Promise<KillFigures> {
  const sums: KillFigures = {
    kills: 0,
    experiments: 0,
    paidTwice: 0,
    unexplained: 0,
    heldAsLost: 0,
    withoutOutcome: 0,
    missingInFile: 0,
  };
  while (sums.kills < wantedKills) {
    sums.experiments += 1;
    await experiment(contacts, wantedKills - sums.kills, sums);
  }
  return sums;
}

async function experiment(contacts: number, mostKills: number, sums: KillFigures): Promise<void> {
  const neighbour = await startNeighbour({ donors: contacts, rate: 0, burst: 10, jobTimeMs: 400 });
  const place = await createWorkplace(neighbour, contacts, '    settleAfterMs: 400\n');
  const database = join(dirname(place.settings), 'store.db');
  try {
    sums.kills += await killUntilDone(
      {
        program: PROGRAM,
        settings: place.settings,
        database,
        random: Math.random,
        latestKillMs: 2_000,
      },
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
    sums.paidTwice += books.paidTwice.length;
    sums.unexplained += Math.abs(charged - books.paidJobs) + books.openSubmissions;
    sums.heldAsLost += books.outcomes.get('lost_answer') ?? 0;
    sums.withoutOutcome +=
      contacts - total([...books.outcomes.values()]) + total(waiting.map(([, count]) => count));
    sums.missingInFile += delivered - rows.filter((row) => row['Donor ID']).length;
  } finally {
    await place.remove();
    await neighbour.stop();
  }
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
