import { randomBytes } from 'node:crypto';
import { startPostgresServer } from '../../test/helpers/postgres-server.ts';
import { atLeast, exactly, type Figure, plain, type Scenario } from '../figure.ts';
import { killForgets } from '../forget.ts';
import type { ForgetKind } from '../forget-places.ts';
import { createDatabase } from '../postgres-database.ts';

/** The number of kills for each kind of CRM and each database. */
const KILLS = 50;

const KINDS: readonly ForgetKind[] = ['csv', 'salesforce', 'hubspot'];

export const forget: Scenario = {
  name: 'forget',
  title: `forget, SIGKILL at ${KILLS} random moments for each kind of CRM and both databases`,
  measure: measureForgets,
};

async function measureForgets(): Promise<Figure[]> {
  const server = await startPostgresServer();
  const databases = {
    sqlite: async (path: string) => `sqlite:${path}`,
    postgres: () => createDatabase(server.url, `forget_${randomBytes(4).toString('hex')}`),
  };
  const figures: Figure[] = [];
  try {
    for (const kind of KINDS) {
      const both = Object.entries(databases).map(([name, create]) =>
        measureOne(`${kind}, ${name}: `, kind, create),
      );
      figures.push(...(await Promise.all(both)).flat());
    }
  } finally {
    await server.stop();
  }
  return figures;
}

async function measureOne(
  of: string,
  kind: ForgetKind,
  createDatabase: (path: string) => Promise<string>,
): Promise<Figure[]> {
  const sums = await killForgets(kind, createDatabase, KILLS);
  return [
    exactly(`${of}kills`, sums.kills, '', KILLS),
    atLeast(`${of}kills after the block`, sums.killsAfterBlock, '', KILLS / 10),
    exactly(`${of}values left in the CRM`, sums.valuesLeft, '', 0),
    exactly(`${of}traces in the database`, sums.tracesLeft, '', 0),
    exactly(`${of}files left in addition to the CRM's`, sums.filesLeft, '', 0),
    exactly(`${of}networks with the donor`, sums.networksLeft, '', 0),
    exactly(`${of}values written back`, sums.writtenBack, '', 0),
    exactly(`${of}untrue receipts`, sums.untrueReceipts, '', 0),
    exactly(`${of}credits of the nights`, sums.credits, '', 0),
    plain(`${of}came back (new id, merge)`, sums.cameBack, ''),
    exactly(`${of}of them not held`, sums.notHeld, '', 0),
  ];
}
